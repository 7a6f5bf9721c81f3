public import System

/// How often somebody may be asked: a person who is asked without end says yes at last.
///
/// A question is one of a purpose and an account, whatever else it says and wherever it comes from: three
/// at once, then one each fifteen seconds; all questions of a user together have a larger measure. Those
/// who ask it while it is being asked join it, and have a measure of their own. One that is answered with a
/// passed check costs nothing, so that whoever says yes is never kept waiting. One that is
/// refused, when the reader was armed or a password asked for, and again after that, starts a pause,
/// which grows with each further refusal.
///
/// Pure: the moment is handed in.
public struct PromptLimit: Sendable {
  /// How many may come at once, and how many seconds it takes until there is one more.
  public struct Measure: Sendable {
    /// How many may come at once.
    public let burst: Int64
    /// Seconds for each further one.
    public let seconds: Int64

    /// Of these parts.
    public init(burst: Int64, seconds: Int64) {
      self.burst = burst
      self.seconds = seconds
    }
  }

  /// The pauses after refusals in a row, in seconds; the last one stays.
  public static let standardPauses: [Int64] = [0, 5, 10, 20, 40, 80, 160, 300]
  /// How long after a pause refusals are forgotten, in seconds.
  public static let memory: Int64 = 900

  /// A bucket, as the moment at which it is full again.
  private struct Bucket {
    var isFullFrom = BootInstant(nanoseconds: 0)

    /// Nanoseconds until one can be taken.
    func wait(_ measure: Measure, at now: BootInstant) -> Int64 {
      let missing = max(0, isFullFrom.nanoseconds - now.nanoseconds)
      return max(0, missing - (measure.burst - 1) * measure.seconds * 1_000_000_000)
    }

    mutating func take(_ measure: Measure, at now: BootInstant) {
      isFullFrom = max(isFullFrom, now).advanced(bySeconds: measure.seconds)
    }

    mutating func giveBack(_ measure: Measure) {
      isFullFrom = isFullFrom.advanced(bySeconds: -measure.seconds)
    }
  }

  private struct Key: Hashable {
    let user: UInt32
    let purpose: PresencePurpose
    let account: [UInt8]?

    init(_ question: PromptQuestion) {
      user = question.user
      purpose = question.purpose
      account = question.account
    }
  }

  private struct Entry {
    var asked = Bucket()
    var joined = Bucket()
    var refusals = 0
    var pauseEnd = BootInstant(nanoseconds: 0)

    /// Nanoseconds until the pause after refusals is over.
    func pause(at now: BootInstant) -> Int64 { max(0, pauseEnd.nanoseconds - now.nanoseconds) }
  }

  private let ofOne: Measure
  private let ofAll: Measure
  private let ofJoining: Measure
  private let pauses: [Int64]
  private var entries: [Key: Entry] = [:]
  private var all: [UInt32: Bucket] = [:]

  /// Nobody was asked yet.
  ///
  /// - Parameters:
  ///   - ofOne: for the same purpose and account.
  ///   - ofAll: for all questions of a user.
  ///   - ofJoining: for those who ask what somebody else is being asked already.
  ///   - pauses: after refusals in a row, in seconds; the last one stays.
  public init(
    ofOne: Measure = Measure(burst: 3, seconds: 15),
    ofAll: Measure = Measure(burst: 12, seconds: 5),
    ofJoining: Measure = Measure(burst: 64, seconds: 1),
    pauses: [Int64] = Self.standardPauses
  ) {
    self.pauses = pauses
    self.ofOne = ofOne
    self.ofAll = ofAll
    self.ofJoining = ofJoining
  }

  /// Takes the right to ask a question.
  ///
  /// - Parameters:
  ///   - question: what is to be asked.
  ///   - joins: another connection is asked the same right now, so that one answer serves both.
  ///   - now: the moment of asking.
  /// - Returns: nil where it may be asked; else seconds, rounded up, until it may.
  public mutating func take(
    _ question: PromptQuestion,
    joins: Bool,
    at now: BootInstant
  ) -> Int64? {
    let key = Key(question)
    forget(at: now)
    var entry = entries[key] ?? Entry()
    let pause = entry.pause(at: now)
    if joins {
      let wait = max(pause, entry.joined.wait(ofJoining, at: now))
      guard wait == 0 else { return Self.seconds(wait) }
      entry.joined.take(ofJoining, at: now)
      entries[key] = entry
      return nil
    }
    var bucket = all[question.user] ?? Bucket()
    let wait = max(pause, entry.asked.wait(ofOne, at: now), bucket.wait(ofAll, at: now))
    guard wait == 0 else { return Self.seconds(wait) }
    entry.asked.take(ofOne, at: now)
    bucket.take(ofAll, at: now)
    entries[key] = entry
    all[question.user] = bucket
    return nil
  }

  /// The check of a question was passed, for all who had joined it too.
  public mutating func notePassed(_ question: PromptQuestion) {
    let key = Key(question)
    guard var entry = entries[key] else { return }
    entry.asked.giveBack(ofOne)
    entry.joined = Bucket()
    entry.refusals = 0
    entries[key] = entry
    all[question.user]?.giveBack(ofAll)
  }

  /// Somebody was asked, and did not pass.
  public mutating func noteRefused(_ question: PromptQuestion, at now: BootInstant) {
    let key = Key(question)
    var entry = entries[key] ?? Entry()
    let pause = pauses.dropFirst(entry.refusals).first ?? pauses.last ?? 0
    entry.refusals += 1
    entry.pauseEnd = max(entry.pauseEnd, now.advanced(bySeconds: pause))
    entries[key] = entry
  }

  /// How long the pause after refusals of a question lasts still, in seconds, rounded up; nil: there is
  /// none.
  ///
  /// It holds for those too who took their right to ask before.
  public func pause(of question: PromptQuestion, at now: BootInstant) -> Int64? {
    guard let pause = entries[Key(question)]?.pause(at: now), pause > 0 else { return nil }
    return Self.seconds(pause)
  }

  /// Whether somebody who was refused has to wait still, so that this must not be forgotten.
  public func isPausing(at now: BootInstant) -> Bool {
    entries.values.contains { $0.pauseEnd > now }
  }

  /// Drops what says nothing any more.
  private mutating func forget(at now: BootInstant) {
    entries = entries.filter { _, entry in
      max(entry.asked.isFullFrom, entry.joined.isFullFrom) > now
        || entry.refusals > 0 && entry.pauseEnd.advanced(bySeconds: Self.memory) > now
    }
    all = all.filter { $0.value.isFullFrom > now }
  }

  private static func seconds(_ nanoseconds: Int64) -> Int64 {
    (nanoseconds + 999_999_999) / 1_000_000_000
  }
}
