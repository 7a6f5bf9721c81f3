internal import Synchronization
internal import System

/// A rate limit of records: up to `most` at once, and one more every `secondsForOne` seconds.
struct RecordLimit {
  let most: Int
  private let secondsForOne: Int64
  private var left: Int
  private var refilled: BootInstant?

  init(most: Int, secondsForOne: Int64) {
    self.most = most
    self.secondsForOne = secondsForOne
    left = most
  }

  /// How many records there may be now.
  func room(at now: BootInstant) -> Int { min(most, left + Int(clamping: more(at: now))) }

  /// Takes room for `count` records; `false` if there is not enough of it.
  @discardableResult
  mutating func take(_ count: Int = 1, at now: BootInstant) -> Bool {
    let since = refilled ?? now
    let steps = more(at: now)
    left = room(at: now)
    // The time that is not yet enough for one more counts later.
    refilled = left == most ? now : since.advanced(bySeconds: steps * secondsForOne)
    guard left >= count else { return false }
    left -= count
    return true
  }

  private func more(at now: BootInstant) -> Int64 {
    max(0, now.seconds(since: refilled ?? now)) / secondsForOne
  }
}

/// The uses without a check, of which only some get a record of their own.
///
/// 60 at once get a record, and one more a minute. The others are counted, so that a flood does not
/// push the history out.
struct UseCount {
  private var limit = RecordLimit(most: 60, secondsForOne: 60)
  /// The uses that no record counts yet, by the account's id.
  private(set) var unwritten: [[UInt8]: Int] = [:]

  /// Whether a use gets a record of its own; it is counted otherwise.
  mutating func takeRecord(of account: [UInt8], at now: BootInstant) -> Bool {
    if limit.take(at: now) { return true }
    unwritten[account, default: 0] += 1
    return false
  }

  /// Counts a use if it gets no record of its own; `false` otherwise.
  mutating func countWithoutRecord(of account: [UInt8], at now: BootInstant) -> Bool {
    guard limit.room(at: now) == 0 else { return false }
    unwritten[account, default: 0] += 1
    return true
  }

  /// Takes the counted uses if they get a record now; none otherwise.
  ///
  /// The last call ignores the limit.
  mutating func takeSum(at now: BootInstant, _ isLast: Bool) -> [[UInt8]: Int] {
    guard !unwritten.isEmpty, isLast || limit.take(at: now) else { return [:] }
    defer { unwritten = [:] }
    return unwritten
  }

  /// Counts the uses again whose record could not be written.
  mutating func giveBack(_ counts: [[UInt8]: Int]) { unwritten.merge(counts, uniquingKeysWith: +) }

  mutating func noteWritten(of account: [UInt8]) { unwritten[account] = nil }
}

extension Vault {
  /// Whether a token with a stated reason gets a record of its own; it is counted otherwise.
  func takeReasonRecord(of account: [UInt8]) -> Bool {
    statedReasons.withLock { $0.takeRecord(of: account, at: clock.boot) }
  }

  /// Counts a token with a stated reason if it gets no record of its own; `false` otherwise.
  nonisolated func countReasonWithoutRecord(of account: [UInt8]) -> Bool {
    statedReasons.withLock { $0.countWithoutRecord(of: account, at: clock.boot) }
  }

  /// Whether a sealed token that is opened without a check gets a record; it is counted otherwise.
  func takeOpeningRecord(of account: [UInt8]) -> Bool {
    audit.openings.takeRecord(of: account, at: clock.boot)
  }

  /// How often a sealed token was opened without a check since its last record.
  func openingsWithoutRecord(of account: [UInt8]) -> Int { audit.openings.unwritten[account] ?? 0 }

  func noteOpeningsRecorded(of account: [UInt8]) { audit.openings.noteWritten(of: account) }
}
