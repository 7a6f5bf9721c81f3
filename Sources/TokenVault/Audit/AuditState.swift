internal import AuditLog
internal import System

/// What the vault counts for its audit log.
struct AuditState {
  /// How much of the audit log is kept.
  let limits: AuditLimits
  /// Gets a copy of each record; `nil` if there is none.
  let journal: (any AuditJournal)?
  var progress: JournalProgress
  private(set) var refusals = RefusalCount()
  /// The limit of checks without a person that get a record of their own.
  private var checkRecords = RecordLimit(most: mostChecks, secondsForOne: 60)
  static let mostChecks = 60
  /// The times that the one token of a provider, or a static secret, was opened without a check.
  var openings = UseCount()
  /// When the audit log was last pruned; `nil` before the first time.
  private var lastPruning: BootInstant?
  private var recordsSincePruning = 0

  init(limits: AuditLimits, journal: (any AuditJournal)?, progress: JournalProgress) {
    self.limits = limits
    self.journal = journal
    self.progress = progress
  }

  mutating func noteRecord(_ number: Int64) {
    recordsSincePruning += 1
    progress.note(number)
  }

  mutating func noteRefusal(_ what: String, of account: String?, by requester: String) {
    refusals.note(what, of: account, by: requester)
  }

  mutating func resetRefusals(written: Int, at now: BootInstant) {
    refusals.reset(written: written, at: now)
  }

  /// Whether a check without a person gets a record of its own.
  mutating func takeCheckRecord(at now: BootInstant) -> Bool { checkRecords.take(at: now) }

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
