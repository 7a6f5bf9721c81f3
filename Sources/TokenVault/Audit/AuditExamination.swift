internal import AuditLog

// The part of an examination that verifies the audit log.
extension Vault {
  /// Whether the audit log is intact, record by record; other calls are served in between.
  func examineAuditLog() async -> [VaultFinding] {
    do throws(VaultFailure) {
      let facts = try await checkedAuditLog()
      if let finding = finding(facts) { return [finding] }
      // A log that was cut along with its store is intact up to there.
      guard case .vaultUnsafe(_, let hint)? = freshness.failure else {
        return [
          VaultFinding("audit-log", .ok, "the audit log is intact (\(facts.records) records)")
        ]
      }
      return [
        VaultFinding(
          "audit-log",
          .warning,
          "records may be missing at its end: the store may be an old copy",
          remedy: hint
        )
      ]
    } catch {
      guard case .vaultUnsafe(let message, let hint) = error else {
        return [VaultFinding("audit-log", .problem, "could not be looked at: \(error)")]
      }
      return [VaultFinding("audit-log", .problem, message, remedy: hint)]
    }
  }

  private func finding(_ facts: AuditReport) -> VaultFinding? {
    guard !facts.isWhole else { return nil }
    return VaultFinding(
      "audit-log",
      .problem,
      "the audit log is not intact: record \(facts.bad ?? 0) is the first bad one"
        + (facts.problem.map { " (\($0))" } ?? ""),
      remedy: "thumblatch audit verify names it; export what you need (thumblatch audit --json), "
        + "and find out who changed it: it stays broken for good"
    )
  }
}
