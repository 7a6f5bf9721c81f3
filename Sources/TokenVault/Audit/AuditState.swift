internal import AuditLog
internal import System

/// What the vault counts for its audit log.
struct AuditState {
  /// How much of the audit log is kept.
  let limits: AuditLimits
  private(set) var refusals = RefusalCount()
  private var checkRecords = CheckRecordLimit()
  /// The times that the one token of a provider was opened without a check.
  private var openings = CheckRecordLimit()
  /// The tokens whose callers have stated a reason.
  private var reasons = CheckRecordLimit()
  /// How many of the openings have no record yet, by the account's id.
  private(set) var unwrittenOpenings: [[UInt8]: Int] = [:]
  /// When the audit log was last pruned; `nil` before the first time.
  private var lastPruning: BootInstant?
  private var recordsSincePruning = 0

  init(limits: AuditLimits) { self.limits = limits }

  mutating func noteRecord() { recordsSincePruning += 1 }

  mutating func noteRefusal(_ what: String, of account: String?, by requester: String) {
    refusals.note(what, of: account, by: requester)
  }

  mutating func resetRefusals(written: Int, at now: BootInstant) {
    refusals.reset(written: written, at: now)
  }

  /// Whether a check without a person gets a record of its own.
  mutating func takeCheckRecord(at now: BootInstant) -> Bool { checkRecords.take(at: now) }

  /// Whether an opening without a check gets a record of its own; it is counted otherwise.
  mutating func takeOpening(of account: [UInt8], at now: BootInstant) -> Bool {
    if openings.take(at: now) { return true }
    unwrittenOpenings[account, default: 0] += 1
    return false
  }

  /// Whether a token whose caller has stated a reason gets a record.
  mutating func takeReason(at now: BootInstant) -> Bool { reasons.take(at: now) }

  mutating func noteOpeningsWritten(of account: [UInt8]) { unwrittenOpenings[account] = nil }

  mutating func noteOpeningsWritten() { unwrittenOpenings = [:] }

  /// Whether the audit log is to be pruned now: once a day, and after many records.
  mutating func takePruning(at now: BootInstant) -> Bool {
    if let lastPruning, now.seconds(since: lastPruning) < Vault.pruningInterval,
      recordsSincePruning < Vault.pruningRecords
    {
      return false
    }
    lastPruning = now
    recordsSincePruning = 0
    return true
  }
}
