internal import AuditLog

// The part of an examination that verifies the audit log.
extension Vault {
  /// Whether the audit log is intact, record by record; other calls are served in between.
  func examineAuditLog() async -> [VaultFinding] {
    var found = Findings("audit-log")
    do throws(VaultFailure) {
      let facts = try await checkedAuditLog()
      if !facts.isWhole {
        found.problem(
          "the audit log is not intact: record \(facts.bad ?? 0) is the first bad one"
            + (facts.problem.map { " (\($0))" } ?? ""),
          remedy: "thumblatch audit verify names it; export what you need "
            + "(thumblatch audit --json), and find out who changed it: it stays broken for good"
        )
      } else if case .vaultUnsafe(_, let hint)? = freshness.failure {
        // A log that was cut along with its store is intact up to there.
        found.warning(
          "records may be missing at its end: the store may be an old copy",
          remedy: hint?.text
        )
      } else {
        found.ok("the audit log is intact (\(facts.records) records)")
      }
      return found.all
    } catch {
      return [VaultFinding("audit-log", notExamined: error)]
    }
  }
}
