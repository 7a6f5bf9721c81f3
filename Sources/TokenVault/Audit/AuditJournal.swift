internal import AuditLog
internal import Storage
internal import System

/// One record of the audit log for the machine's journal.
package struct JournalRecord: Sendable, Equatable {
  /// The identifier of the vault in hexadecimal digits.
  ///
  /// Numbers of records begin again in a new vault.
  package let vault: String
  /// The uid of the vault's user.
  package let owner: UInt32
  package let record: AuditFacts
  /// The head of the chain at this record: its code in hexadecimal digits.
  package let head: String

  package init(vault: String, owner: UInt32, record: AuditFacts, head: String) {
    self.vault = vault
    self.owner = owner
    self.record = record
    self.head = head
  }
}

/// The machine's journal, which gets a copy of each record after its commit.
package protocol AuditJournal: Sendable {
  /// Sends a record without waiting.
  ///
  /// - Returns: `false` if the journal accepts no record now. The record is then sent later.
  func send(_ record: JournalRecord) -> Bool
}

/// How far the audit log was sent to the journal.
struct JournalProgress {
  /// How long the vault waits after the journal refused a record, in seconds.
  private static let pause: Int64 = 5

  /// The number of the last record that was sent; `nil` before the first one of this engine.
  private(set) var sent: Int64?
  /// Whether the store has a number for the next engine.
  private(set) var isKept: Bool
  /// Whether a later call of `sendToJournal` is under way.
  private(set) var isPlanned = false
  private var isDue = false
  private var resumes: BootInstant?

  /// Continues after the record that an earlier engine sent last; `nil` if it has sent all.
  init(keptNumber: Int64? = nil) {
    (sent, isDue, isKept) = (keptNumber, keptNumber != nil, keptNumber != nil)
  }

  /// The number of the last record that was sent, if later ones are due.
  var numberToKeep: Int64? { isDue ? sent : nil }

  /// Notes a record of the running transaction.
  ///
  /// Earlier records are those of another engine, which has sent them or has kept the number.
  mutating func note(_ number: Int64) {
    if sent == nil { sent = number - 1 }
    isDue = true
  }

  /// Whether records are to be sent now.
  func isDue(at now: BootInstant) -> Bool {
    guard isDue, let resumes else { return isDue }
    return now.nanoseconds >= resumes.nanoseconds
  }

  mutating func notePlanned() { isPlanned = true }
  mutating func noteBegun() { isPlanned = false }
  mutating func noteKept(_ isKept: Bool) { self.isKept = isKept }
  mutating func noteSent(_ number: Int64) { sent = number }
  mutating func noteAllSent() { (isDue, resumes) = (false, nil) }
  mutating func noteRefused(at now: BootInstant) { resumes = now.advanced(bySeconds: Self.pause) }
}

extension Vault {
  /// The most records that are read at once, and the most that wait for a journal that accepts
  /// none.
  private static let journalPage = 128
  private static let mostForJournal: Int64 = 1000
  /// The key in the store of the last number that was sent, while later records are due.
  private static let journalKey = "journal-sent"
  /// How long the records of a refresh wait, in milliseconds.
  static let journalDelay: Int64 = 100

  /// Sends the records that were committed to the journal, after a short time.
  ///
  /// Returns at once. A refresh writes two records, and journald needs half a millisecond of CPU
  /// time for them. The caller of the refresh should not wait for that.
  func sendToJournalLater() {
    guard audit.journal != nil, !audit.progress.isPlanned else { return }
    audit.progress.notePlanned()
    // The outer task begins when the actor next waits, so that no thread is woken before.
    Task {
      Task { [weak self, clock] in
        await clock.pause(milliseconds: Self.journalDelay)
        await self?.sendPlanned()
      }
    }
  }

  private func sendPlanned() {
    if audit.progress.isPlanned { sendToJournalNow() }
  }

  /// Sends the records without a later call, if one is under way.
  func sendToJournalNow() {
    audit.progress.noteBegun()
    sendToJournal()
  }

  /// Sends the records that were committed to the journal.
  ///
  /// Nothing depends on it: a journal that accepts no record neither blocks nor fails a call.
  /// Refused records are sent later, the last 1000 at most. The records are read again, because
  /// only the store has them as they were committed.
  func sendToJournal() {
    guard let journal = audit.journal, audit.progress.isDue(at: clock.boot),
      var sent = audit.progress.sent
    else {
      return
    }
    let vault = Hexadecimal.text(identifier)
    do throws(StorageError) {
      let last = try store.auditNumber(through: AuditLog.mostNumber)
      sent = max(sent, (last ?? sent) - Self.mostForJournal)
      while true {
        let rows = try store.audit(after: sent, limit: Self.journalPage)
        for row in rows {
          let record = JournalRecord(
            vault: vault,
            owner: owner,
            record: AuditFacts(row),
            head: Hexadecimal.text(row.mac)
          )
          guard journal.send(record) else { return audit.progress.noteRefused(at: clock.boot) }
          sent = row.number
          audit.progress.noteSent(sent)
        }
        guard rows.count == Self.journalPage else { break }
      }
      audit.progress.noteAllSent()
      // An engine that is killed later leaves no number, so that nothing is sent twice.
      if audit.progress.isKept { keepJournalProgress() }
    } catch {
      // The records are still due.
      audit.progress.noteRefused(at: clock.boot)
    }
  }

  /// The progress that an earlier engine has kept.
  static func keptJournalProgress(in store: Store) throws(StorageError) -> JournalProgress {
    let bytes = try store.meta(journalKey)
    return JournalProgress(keptNumber: bytes.flatMap { Int64(String(decoding: $0, as: UTF8.self)) })
  }

  /// Stores the number for the next engine if records are due, and removes it otherwise.
  ///
  /// If this fails, records are missing in the journal or are there twice.
  func keepJournalProgress() {
    let bytes = audit.progress.numberToKeep.map { Array("\($0)".utf8) }
    guard bytes != nil || audit.progress.isKept else { return }
    guard (try? store.setMeta(Self.journalKey, to: bytes)) != nil else { return }
    audit.progress.noteKept(bytes != nil)
  }
}

extension AuditFacts {
  init(_ row: AuditRow) {
    self.init(
      number: row.number,
      time: row.time,
      event: row.event,
      outcome: row.outcome,
      account: row.account,
      method: row.method,
      requester: row.requester,
      detail: row.detail
    )
  }
}
