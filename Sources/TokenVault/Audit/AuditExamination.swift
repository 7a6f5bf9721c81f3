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
        return [VaultFinding("trail", .ok, "each record is what was written (\(facts.records))")]
      }
      return [
        VaultFinding(
          "trail",
          .warning,
          "nothing tells whether records are missing at its end: the store may be an old copy",
          remedy: hint
        )
      ]
    } catch {
      guard case .vaultUnsafe(let message, let hint) = error else {
        return [VaultFinding("trail", .problem, "could not be looked at: \(error)")]
      }
      return [VaultFinding("trail", .problem, message, remedy: hint)]
    }
  }

  private func finding(_ facts: AuditReport) -> VaultFinding? {
    guard !facts.isWhole else { return nil }
    return VaultFinding(
      "trail",
      .problem,
      "the trail is not whole: record \(facts.bad ?? 0) is the first bad one"
        + (facts.problem.map { " (\($0))" } ?? ""),
      remedy: "thumblatch audit verify names it; export what you need (thumblatch audit --json), "
        + "and find out who changed it: it stays broken for good"
    )
  }
}
