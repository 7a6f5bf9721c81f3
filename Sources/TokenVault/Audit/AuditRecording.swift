internal import AuditLog
internal import Configuration
internal import Cryptography
internal import Presence
internal import Storage
internal import System

/// The result of verifying the audit log.
package struct AuditReport: Sendable, Equatable {
  /// Whether every record is as it was written, and none is missing.
  package let isWhole: Bool
  package let records: Int
  /// The number of the first record; 0 if there is none.
  package let first: Int64
  /// The number of the last record.
  package let last: Int64
  /// When the first record was written, in seconds since 1970.
  package let firstTime: Int64?
  /// When the last record was written.
  package let lastTime: Int64?
  /// The first number whose record is not as it was written, or is missing.
  package let bad: Int64?
  /// The time in the record of that number; `nil` if there is none.
  package let badTime: Int64?
  /// The kind of break: `altered`, `dropped`, `reordered`, `truncated`, `duplicated`, `added`,
  /// `head`, `checkpoint`.
  package let problem: String?
  /// The code of the last record in hexadecimal digits; `nil` if there is none.
  package var head: String?
}

extension Vault {
  /// The seconds between two prunings of the audit log.
  static let pruningInterval: Int64 = 86_400
  /// The number of further records after which it is also pruned.
  static let pruningRecords = 1000

  var auditLog: AuditLog { AuditLog(store: store, vault: identifier, owner: owner) }

  /// Runs a step of the audit log, and turns its error into a `VaultFailure`.
  func audited<Value>(
    _ step: @autoclosure () throws(AuditFailure) -> Value
  ) throws(VaultFailure) -> Value {
    do { return try step() } catch {
      switch error {
      case .storage(let error): throw failure(of: error)
      case .cryptography(let error):
        throw .unexpected("the audit log cannot be continued: \(error)")
      }
    }
  }

  /// Writes a record in the running transaction: if that fails, the transaction writes nothing.
  func record(_ entry: AuditEntry) throws(VaultFailure) {
    let time = clock.wall.seconds
    let bounded = entry.bounded(detail: PromptQuestion.longestDetail)
    let number = try audited(
      try auditLog.append(bounded, at: time, using: storeState.keys.audit)
    )
    audit.noteRecord(number)
  }

  // MARK: - Checking

  /// Verifies the whole audit log, record by record; other calls are served in between.
  ///
  /// - Throws: `vaultUnsafe` if the store may be an old copy: its log is intact as far as it goes,
  ///   but the records since are missing.
  package func verifyAuditLog() async throws(VaultFailure) -> AuditReport {
    try demandCurrentStore()
    return try await checkedAuditLog()
  }

  /// Verifies the audit log as it is, even if the store may be an old copy.
  func checkedAuditLog() async throws(VaultFailure) -> AuditReport {
    let verdict = try await verdict()
    let bad = verdict.found?.number
    return AuditReport(
      isWhole: verdict.found == nil,
      records: verdict.records,
      first: verdict.first,
      last: verdict.last,
      firstTime: try stored(try store.auditTime(of: verdict.first)),
      lastTime: try stored(try store.auditTime(of: verdict.last)),
      bad: bad,
      badTime: try bad.flatMap { number throws(VaultFailure) in
        try stored(try store.auditTime(of: number))
      },
      problem: verdict.found?.flaw.name,
      head: try stored(try store.auditCodes(from: verdict.last, limit: 1)).first
        .map { Hexadecimal.text($0.mac) }
    )
  }

  private func verdict() async throws(VaultFailure) -> AuditVerdict {
    var verification = AuditVerification(of: auditLog)
    var keys = storeState.keys.audit.chain.identifier
    while true {
      // A rekey has changed all codes: start again.
      if storeState.keys.audit.chain.identifier != keys {
        keys = storeState.keys.audit.chain.identifier
        verification = AuditVerification(of: auditLog)
      }
      let verdict = try audited(try verification.step(using: storeState.keys.audit))
      if let verdict { return verdict }
      await Task.yield()
    }
  }

  // MARK: - Pruning

  /// The present limits of the audit log: half of the store at most.
  private func auditLimitsNow() -> AuditLimits {
    guard let policy = administratorPolicy() else { return audit.limits }
    return AuditLimits(
      seconds: audit.limits.seconds,
      records: audit.limits.records,
      bytes: Int64(policy.store) << 19
    )
  }

  /// Records what was only counted, and removes old records if that is due.
  ///
  /// It is called at the start and each minute.
  package func maintainAuditLog() async throws(VaultFailure) {
    try flushCounts()
    sendToJournal()
    // An old copy that was restored stays as it is.
    guard freshness == .current else { return }
    guard audit.takePruning(at: clock.boot) else { return }
    try await pruneAuditLog()
  }

  /// Removes records that are too old or too many.
  func pruneAuditLog() async throws(VaultFailure) {
    func end() throws(VaultFailure) -> Int64? {
      try audited(
        try auditLog.endOfPruning(
          to: auditLimitsNow(),
          at: clock.wall.seconds,
          using: storeState.keys.audit
        )
      )
    }
    guard try end() != nil else { return }
    // Verify the records before they are removed; until then the log can only grow.
    let found = try await verdict().found
    guard let end = try end() else { return }
    let time = clock.wall.seconds
    try change {
      let number = try audited(
        try auditLog.prune(through: end, found: found, at: time, using: storeState.keys.audit)
      )
      if let number { audit.progress.note(number) }
    }
  }
}
