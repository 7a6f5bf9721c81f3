public import System

/// How often somebody may be asked: a person who is asked without end says yes at last.
///
/// A question is one of a purpose and an account, whatever else it says and wherever it comes from: three
/// at once, then one each fifteen seconds; all questions of a user together have a larger measure. Those
/// who ask it while it is being asked join it, and have a measure of their own. One that is answered with a
/// passed check costs nothing, so that whoever says yes is never kept waiting. One that is
/// refused, when the reader was armed or a password asked for, and again after that, starts a pause,
/// which grows with each further refusal. Four cancels in a row from one terminal count as one refusal:
/// a person cancels their own command there. They do count, since any program can have a terminal.
///
/// A prompt that its client shows at once counts when it is opened, and not while it is made ready: a call
/// that is refused in between has shown nothing. Any other prompt counts when its check begins; opening
/// it has a measure of its own, so that a program which never shows its prompts does not keep the person
/// from being asked. So does a look at the reader for a prompt that was given up before it was opened.
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
    /// Refusals in a row, in parts of which a whole one has `partsOfRefusal`.
    var refused = 0
    /// The terminal of the last one, if it was cancelled there.
    var terminal: Int32?
    var pauseEnd = BootInstant(nanoseconds: 0)

    /// Nanoseconds until the pause after refusals is over.
    func pause(at now: BootInstant) -> Int64 { max(0, pauseEnd.nanoseconds - now.nanoseconds) }
  }

  private let ofOne: Measure
  private let ofAll: Measure
  private let ofJoining: Measure
  private let ofOpening: Measure
  private let pauses: [Int64]
  private var entries: [Key: Entry] = [:]
  private var all: [UInt32: Bucket] = [:]
  private var opened: [UInt32: Bucket] = [:]
  private var unopened: [UInt32: Bucket] = [:]

  /// How many cancels from one terminal are one refusal.
  private static let partsOfRefusal = 4

  /// Nobody was asked yet.
  ///
  /// - Parameters:
  ///   - ofOne: for the same purpose and account.
  ///   - ofAll: for all questions of a user.
  ///   - ofJoining: for those who ask what somebody else is being asked already.
  ///   - ofOpening: for all prompts of a user that are opened and not begun, and again for those that
  ///     are given up before they are opened.
  ///   - pauses: after refusals in a row, in seconds; the last one stays.
  public init(
    ofOne: Measure = Measure(burst: 3, seconds: 15),
    ofAll: Measure = Measure(burst: 12, seconds: 5),
    ofJoining: Measure = Measure(burst: 64, seconds: 1),
    ofOpening: Measure = Measure(burst: 64, seconds: 1),
    pauses: [Int64] = Self.standardPauses
  ) {
    self.pauses = pauses
    self.ofOne = ofOne
    self.ofAll = ofAll
    self.ofJoining = ofJoining
    self.ofOpening = ofOpening
  }

  /// Takes the right to ask a question.
  ///
  /// - Parameters:
  ///   - question: what is to be asked.
  ///   - joins: another connection is asked the same right now, so that one answer serves both.
  ///   - now: the moment of asking.
  /// - Returns: `nil` if it may be asked; else seconds, rounded up, until it may.
  public mutating func take(
    _ question: PromptQuestion,
    joins: Bool,
    at now: BootInstant
  ) -> Int64? {
    forget(at: now)
    if let wait = wait(for: question, joins: joins, at: now) { return wait }
    let key = Key(question)
    if joins {
      entries[key, default: Entry()].joined.take(ofJoining, at: now)
    } else {
      entries[key, default: Entry()].asked.take(ofOne, at: now)
      all[question.user, default: Bucket()].take(ofAll, at: now)
    }
    return nil
  }

  /// The same, and takes nothing.
  public func wait(for question: PromptQuestion, joins: Bool, at now: BootInstant) -> Int64? {
    let entry = entries[Key(question)] ?? Entry()
    let wait =
      joins
      ? max(entry.pause(at: now), entry.joined.wait(ofJoining, at: now))
      : max(
        entry.pause(at: now),
        entry.asked.wait(ofOne, at: now),
        (all[question.user] ?? Bucket()).wait(ofAll, at: now)
      )
    return wait == 0 ? nil : Self.seconds(wait)
  }

  /// How long a prompt must wait before it is made ready; takes nothing.
  ///
  /// - Parameters:
  ///   - question: what is to be asked.
  ///   - isCounted: its client shows it at once.
  ///   - joins: another connection is asked the same right now.
  ///   - now: the moment of asking.
  /// - Returns: `nil` if it may be made ready; else seconds, rounded up.
  public func waitToBegin(
    _ question: PromptQuestion,
    isCounted: Bool,
    joins: Bool,
    at now: BootInstant
  ) -> Int64? {
    let looks = isCounted ? unopened : opened
    let wait = (looks[question.user] ?? Bucket()).wait(ofOpening, at: now)
    let other =
      isCounted ? self.wait(for: question, joins: joins, at: now) : pause(of: question, at: now)
    guard wait > 0 else { return other }
    return max(other ?? 0, Self.seconds(wait))
  }

  /// A counted prompt was given up after a look at the reader, and before it was opened.
  ///
  /// The person was shown nothing. The look was work: without this measure, a program that hangs up in
  /// time could have helpers started without limit.
  public mutating func noteUnopened(_ question: PromptQuestion, at now: BootInstant) {
    forget(at: now)
    unopened[question.user, default: Bucket()].take(ofOpening, at: now)
  }

  /// Takes the right to open a prompt that does not count before it is begun.
  ///
  /// To open one costs the engine a look at the reader, and the person nothing.
  ///
  /// - Returns: `nil` if it may be opened; else seconds, rounded up, until it may.
  public mutating func takeOpening(_ question: PromptQuestion, at now: BootInstant) -> Int64? {
    forget(at: now)
    if let pause = pause(of: question, at: now) { return pause }
    var bucket = opened[question.user] ?? Bucket()
    let wait = bucket.wait(ofOpening, at: now)
    guard wait == 0 else { return Self.seconds(wait) }
    bucket.take(ofOpening, at: now)
    opened[question.user] = bucket
    return nil
  }

  /// The check of a question was passed, for all who had joined it too.
  public mutating func notePassed(_ question: PromptQuestion) {
    let key = Key(question)
    guard var entry = entries[key] else { return }
    entry.asked.giveBack(ofOne)
    entry.joined = Bucket()
    entry.refused = 0
    entries[key] = entry
    all[question.user]?.giveBack(ofAll)
  }

  /// Somebody was asked, and did not pass.
  ///
  /// - Parameters:
  ///   - question: what was asked.
  ///   - terminal: the terminal of the program that asked, if it gave the prompt up itself.
  ///   - now: the moment.
  public mutating func noteRefused(
    _ question: PromptQuestion,
    cancelledAt terminal: Int32? = nil,
    at now: BootInstant
  ) {
    let key = Key(question)
    var entry = entries[key] ?? Entry()
    let whole = entry.refused / Self.partsOfRefusal
    let pause = pauses.dropFirst(whole).first ?? pauses.last ?? 0
    // From another terminal each time it is no person at theirs.
    let isOwn = terminal != nil && (entry.terminal == nil || entry.terminal == terminal)
    entry.refused += isOwn ? 1 : Self.partsOfRefusal
    entry.terminal = terminal
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
        || entry.refused > 0 && entry.pauseEnd.advanced(bySeconds: Self.memory) > now
    }
    all = all.filter { $0.value.isFullFrom > now }
    opened = opened.filter { $0.value.isFullFrom > now }
    unopened = unopened.filter { $0.value.isFullFrom > now }
  }

  private static func seconds(_ nanoseconds: Int64) -> Int64 {
    (nanoseconds + 999_999_999) / 1_000_000_000
  }
}
