internal import PresenceTerms
package import System

/// The rate limit of prompts: a person who is asked without limit finally agrees.
///
/// A question is identified by purpose and account only. It may be asked three times at once, then
/// once every fifteen seconds. All questions of a user share a larger limit. Callers that join a
/// running question have their own limit. So do the programs behind restricted sockets: a container
/// must not use up what the user's other programs may ask.
///
/// A passed check costs nothing, so a person who agrees never has to wait. A refusal starts a pause
/// if the reader was armed or a password was requested, and if it is not the first one. The pause
/// grows with each further refusal. Four consecutive cancels from one terminal count as one
/// refusal and as one question, because there a person cancels their own command. They do count,
/// since any program can have a terminal.
///
/// A prompt that its client shows at once counts when it is opened, not while it is being made
/// ready: a call refused in between has shown nothing. Any other prompt counts when its check
/// begins. Opening it has its own limit, so that a program that never shows its prompts does not
/// block other prompts. The same limit applies to examining the reader for a prompt that was given
/// up before it was opened.
///
/// Pure: the caller passes the current time.
package struct PromptLimit: Sendable {
  /// The pauses after consecutive refusals, in seconds; the last one repeats.
  package static let standardPauses: [Int64] = [0, 5, 10, 20, 40, 80, 160, 300]
  /// How long refusals are remembered after a pause, in seconds.
  package static let memory: Int64 = 900

  private struct Key: Hashable {
    let user: UInt32
    let purpose: PresencePurpose
    let account: [UInt8]?
    /// The restricted socket that asks: a refusal there does not count against other callers.
    let socket: String?

    init(_ question: PromptQuestion, socket: String?) {
      self.socket = socket
      user = question.user
      purpose = question.purpose
      account = question.account
    }
  }

  /// Represents all restricted sockets, because a program may use ever new names.
  private static let anySocket = ""  // No socket has this name.
  /// The number of refusals at all restricted sockets before the first one that can cause a pause.
  private static let freeRefusals = 4

  private struct Entry {
    var asked = Bucket()
    var joined = Bucket()
    /// Consecutive refusals, counted in parts; a whole one has `partsOfRefusal`.
    var refused = 0
    /// The terminal of the last refusal, if it was a cancel from there.
    var terminal: Int32?
    var pauseEnd = BootInstant(nanoseconds: 0)

    /// Nanoseconds until the pause after refusals ends.
    func pause(at now: BootInstant) -> Int64 { max(0, pauseEnd.nanoseconds - now.nanoseconds) }
  }

  private let ofOne: Measure
  private let ofAll: Measure
  private let ofJoining: Measure
  private let ofOpening: Measure
  private let pauses: [Int64]
  private var entries: [Key: Entry] = [:]
  private var all: [Party: Bucket] = [:]
  private var opened: [Party: Bucket] = [:]
  private var unopened: [Party: Bucket] = [:]

  /// The number of cancels from one terminal that count as one refusal.
  private static let partsOfRefusal = 4

  /// Makes a limit without history.
  ///
  /// - Parameters:
  ///   - ofOne: for the same purpose and account.
  ///   - ofAll: for all questions of a user.
  ///   - ofJoining: for callers that join a question of another caller.
  ///   - ofOpening: for all prompts of a user that are opened but not begun, and separately for
  ///     those that are given up before they are opened.
  ///   - pauses: after consecutive refusals, in seconds; the last one repeats.
  package init(
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
  ///   - question: the question.
  ///   - joins: whether the same question of another connection is open, so that one answer serves
  ///     both.
  ///   - now: the moment of asking.
  /// - Returns: `nil` if it may be asked; otherwise the wait in seconds, rounded up.
  package mutating func take(
    _ question: PromptQuestion,
    joins: Bool,
    at now: BootInstant
  ) -> Int64? {
    forget(at: now)
    if let wait = wait(for: question, joins: joins, at: now) { return wait }
    let key = Key(question, socket: question.socket)
    if joins {
      entries[key, default: Entry()].joined.take(ofJoining, at: now)
    } else {
      entries[key, default: Entry()].asked.take(ofOne, at: now)
      all[Party(question), default: Bucket()].take(ofAll, at: now)
    }
    return nil
  }

  /// The wait that `take` would return; takes nothing.
  package func wait(for question: PromptQuestion, joins: Bool, at now: BootInstant) -> Int64? {
    let entry = entries[Key(question, socket: question.socket)] ?? Entry()
    let pause = restOfPause(question, at: now)
    let wait =
      joins
      ? max(pause, entry.joined.wait(ofJoining, at: now))
      : max(
        pause,
        entry.asked.wait(ofOne, at: now),
        (all[Party(question)] ?? Bucket()).wait(ofAll, at: now)
      )
    return wait == 0 ? nil : Self.seconds(wait)
  }

  /// The wait before a prompt is made ready; takes nothing.
  ///
  /// - Parameters:
  ///   - question: the question.
  ///   - isCounted: whether its client shows it at once.
  ///   - joins: whether the same question of another connection is open.
  ///   - now: the moment of asking.
  /// - Returns: `nil` if it may be made ready; otherwise the wait in seconds, rounded up.
  package func waitToBegin(
    _ question: PromptQuestion,
    isCounted: Bool,
    joins: Bool,
    at now: BootInstant
  ) -> Int64? {
    let looks = isCounted ? unopened : opened
    let wait = (looks[Party(question)] ?? Bucket()).wait(ofOpening, at: now)
    let other =
      isCounted ? self.wait(for: question, joins: joins, at: now) : pause(of: question, at: now)
    guard wait > 0 else { return other }
    return max(other ?? 0, Self.seconds(wait))
  }

  /// Records a counted prompt that was given up after the reader was examined and before it was
  /// opened.
  ///
  /// The person saw nothing, but the examination was work. Without this limit, a program that
  /// disconnects in time could start helpers without limit.
  package mutating func noteUnopened(_ question: PromptQuestion, at now: BootInstant) {
    forget(at: now)
    unopened[Party(question), default: Bucket()].take(ofOpening, at: now)
  }

  /// Takes the right to open a prompt that counts only when its check begins.
  ///
  /// Opening it costs the engine an examination of the reader, and the person nothing.
  ///
  /// - Returns: `nil` if it may be opened; otherwise the wait in seconds, rounded up.
  package mutating func takeOpening(_ question: PromptQuestion, at now: BootInstant) -> Int64? {
    forget(at: now)
    if let pause = pause(of: question, at: now) { return pause }
    var bucket = opened[Party(question)] ?? Bucket()
    let wait = bucket.wait(ofOpening, at: now)
    guard wait == 0 else { return Self.seconds(wait) }
    bucket.take(ofOpening, at: now)
    opened[Party(question)] = bucket
    return nil
  }

  /// Records a passed check of a question, also for the joined callers.
  package mutating func notePassed(_ question: PromptQuestion) {
    let key = Key(question, socket: question.socket)
    if question.socket != nil { entries[Key(question, socket: Self.anySocket)] = nil }
    guard var entry = entries[key] else { return }
    entry.asked.giveBack(ofOne)
    entry.joined = Bucket()
    entry.refused = 0
    entries[key] = entry
    all[Party(question)]?.giveBack(ofAll)
  }

  /// Records a question that was asked but not passed.
  ///
  /// - Parameters:
  ///   - question: the question.
  ///   - terminal: the terminal of the calling program, if it cancelled the prompt itself.
  ///   - joined: whether it joined another caller's question, so it took nothing from the limit.
  ///   - now: the moment.
  package mutating func noteRefused(
    _ question: PromptQuestion,
    cancelledAt terminal: Int32? = nil,
    joined: Bool = false,
    at now: BootInstant
  ) {
    let key = Key(question, socket: question.socket)
    let isOwn = note(refusalOf: key, free: 0, terminal, now)
    guard question.socket == nil else {
      note(refusalOf: Key(question, socket: Self.anySocket), free: Self.freeRefusals, terminal, now)
      return
    }
    guard isOwn, !joined else { return }
    // The limit of all questions counts each cancel: a program can ask many questions.
    entries[key]?.asked.giveBack(ofOne, exceptOneOf: Int64(Self.partsOfRefusal))
  }

  /// Counts a refusal; returns whether it is a cancel at the person's own terminal.
  @discardableResult
  private mutating func note(
    refusalOf key: Key,
    free: Int,
    _ terminal: Int32?,
    _ now: BootInstant
  ) -> Bool {
    var entry = entries[key] ?? Entry()
    let whole = entry.refused / Self.partsOfRefusal - free
    let pause = pauses.dropFirst(max(whole, 0)).first ?? pauses.last ?? 0
    // Cancels from changing terminals are not a person at their own terminal.
    let isOwn = terminal != nil && (entry.terminal == nil || entry.terminal == terminal)
    entry.refused += isOwn ? 1 : Self.partsOfRefusal
    entry.terminal = terminal
    entry.pauseEnd = max(entry.pauseEnd, now.advanced(bySeconds: pause))
    entries[key] = entry
    return isOwn
  }

  /// The rest of the pause after refusals of a question, in seconds, rounded up; `nil` if there is
  /// none.
  ///
  /// The pause also applies to callers that took their right to ask earlier.
  package func pause(of question: PromptQuestion, at now: BootInstant) -> Int64? {
    let pause = restOfPause(question, at: now)
    return pause > 0 ? Self.seconds(pause) : nil
  }

  /// The same in nanoseconds; 0 if there is none.
  private func restOfPause(_ question: PromptQuestion, at now: BootInstant) -> Int64 {
    let sockets = question.socket.map { [$0, Self.anySocket] } ?? [nil]
    return sockets.map { entries[Key(question, socket: $0)]?.pause(at: now) ?? 0 }.max() ?? 0
  }

  /// Whether more than one refusal of a question is remembered, so that this value must be kept.
  package func mustBeKept(at now: BootInstant) -> Bool {
    entries.values.contains {
      $0.refused > Self.partsOfRefusal && $0.pauseEnd.advanced(bySeconds: Self.memory) > now
    }
  }

  /// Drops entries that no longer matter.
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
