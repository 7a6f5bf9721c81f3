package import PresenceTerms
package import System

/// The open prompts, with the armed one and the prompts that wait for another.
///
/// Pure: no clock, no I/O.
///
/// Only one prompt at a time is armed. A second caller with the same request joins it
/// and gets its outcome; see `isSameRequest`. Any other prompt is busy, or waits until the armed
/// one ends. It is not armed automatically then: otherwise a touch that was meant for the previous
/// prompt would approve it.
package struct PromptBook: Sendable {
  /// How long a prompt waits for its next step, in seconds.
  package static let lifetime: Int64 = 30
  /// How long a device may be asked again for one prompt, in seconds.
  ///
  /// Otherwise one prompt could keep the reader, and get a touch that is meant for something else.
  package static let longestUse: Int64 = 300
  /// How much longer an armed prompt is kept, so that its check can end by itself, in seconds.
  ///
  /// A result in that time does not count, but the person can continue with the password.
  package static let grace: Int64 = 10
  /// The most open prompts of one connection.
  package static let mostPerConnection = 8

  enum State: Sendable, Equatable {
    /// The engine is finding the caller's location and the eligible fingers.
    case beginning
    case open
    case armed(PresenceMethod)
    case joined(String)
    case waiting(String)
    case passed(PresenceMethod)
  }

  struct Prompt: Sendable {
    let question: PromptQuestion
    /// Where it is shown; `nil` until the location is known.
    var location: String?
    /// The location of its caller, also while an agent shows it elsewhere.
    var origin: String?
    let connection: UInt64
    var state = State.beginning
    var deadline: BootInstant
    /// The methods that cannot pass it.
    var impossible = Set(PresenceMethod.devices)
    /// The prompts with the same question that were passed while this one was beginning, by
    /// location.
    var passedMeanwhile: [String: String] = [:]
    /// When the person was asked first, by a reader or a password conversation.
    var armedFirst: BootInstant?
    /// The device number of the calling program's terminal; `nil` if it has none.
    var terminal: Int32?
    /// Whether it counts toward the rate limit.
    var isCounted = true
    /// Whether it counts as a further caller of another prompt's question.
    var hasJoined = false

    /// The instant after which it can be removed; `nil` if the code that makes it ready ends it.
    var end: BootInstant? {
      switch state {
      case .beginning: nil
      case .armed: deadline.advanced(bySeconds: PromptBook.grace)
      case .open, .joined, .waiting, .passed: deadline
      }
    }

    /// Whether it can still have a result.
    func counts(at now: BootInstant) -> Bool { state == .beginning || now <= deadline }
  }

  // Only this room changes it, because it decides who may be asked and what counts.
  var prompts: [String: Prompt] = [:]

  /// Makes an empty book.
  package init() {}

  /// Enters a prompt for a question of a connection; `open` makes it ready.
  ///
  /// From here on, callers with the same question find that it is being asked.
  ///
  /// - Parameters:
  ///   - name: random and new; it is the capability to run the check.
  ///   - question: the question to the person.
  ///   - connection: the connection that may run the check.
  ///   - terminal: the device number of the calling program's controlling terminal.
  ///   - isCounted: whether it counts toward the rate limit already.
  ///   - now: the moment of the call.
  /// - Returns: false if the connection has too many open prompts.
  package mutating func begin(
    _ name: String,
    question: PromptQuestion,
    connection: UInt64,
    terminal: Int32? = nil,
    isCounted: Bool = true,
    at now: BootInstant
  ) -> Bool {
    // Overdue prompts stay for their engine, which must end their checks.
    let count = prompts.values.count { $0.connection == connection && $0.counts(at: now) }
    guard count < Self.mostPerConnection else { return false }
    prompts[name] = Prompt(
      question: question,
      connection: connection,
      deadline: now,
      terminal: terminal,
      isCounted: isCounted
    )
    return true
  }

  /// Makes a prompt ready that was begun.
  ///
  /// - Parameters:
  ///   - name: its name.
  ///   - location: the location of the caller, at which the prompt is shown until `move`.
  ///   - impossible: the methods that cannot pass it.
  ///   - now: the moment of the call.
  /// - Returns: the state of the prompt; `nil` if it was given up.
  package mutating func open(
    _ name: String,
    location: String = "",
    impossible: Set<PresenceMethod>,
    at now: BootInstant
  ) -> PromptState? {
    guard var prompt = prompts[name], prompt.state == .beginning else { return nil }
    prompt.state = .open
    prompt.location = location
    prompt.origin = location
    prompt.impossible = impossible
    prompt.deadline = now.advanced(bySeconds: Self.lifetime)
    prompts[name] = prompt
    return prompt.passedMeanwhile[location].map(PromptState.answered) ?? .asks
  }

  /// Removes a prompt that was begun but not opened.
  package mutating func endBeginning(_ name: String) {
    if prompts[name]?.state == .beginning { prompts[name] = nil }
  }

  /// The methods that may still be tried for a prompt.
  package func methods(of name: String) -> [PresenceMethod] {
    guard let prompt = prompts[name] else { return [] }
    return prompt.question.purpose.methods.filter { !prompt.impossible.contains($0) }
  }

  package func question(of name: String) -> PromptQuestion? { prompts[name]?.question }

  /// The location at which a prompt is shown; `nil` until it is known.
  package func location(of name: String) -> String? { prompts[name]?.location }

  /// Arms a prompt for a method; with `mayWait` it waits instead of being busy.
  ///
  /// - Throws: `denied` for a prompt of another connection or a used one, `timedOut` for an expired
  ///   one, `busy` while another question is armed, `lockedOut` for a method that cannot pass it.
  package mutating func arm(
    _ name: String,
    method: PresenceMethod,
    connection: UInt64,
    mayWait: Bool = false,
    at now: BootInstant
  ) throws(PresenceFailure) -> Arming {
    guard var prompt = prompts[name], prompt.connection == connection, prompt.state != .beginning
    else {
      throw .denied("no such prompt on this connection")
    }
    guard now <= prompt.deadline else { throw .timedOut }
    if method.isDevice, let first = prompt.armedFirst,
      now > first.advanced(bySeconds: Self.longestUse)
    {
      refuseDevices(name)
      throw .timedOut
    }
    guard prompt.question.purpose.methods.contains(method) else {
      throw .denied("this needs the system password, not \(method.means)")
    }
    if case .passed = prompt.state { throw .denied("the check was passed already") }
    if prompt.impossible.contains(method) { throw .lockedOut }
    for (other, running) in prompts where other != name {
      guard case .armed = running.state, let end = running.end, now <= end else { continue }
      guard mayWait || mayJoin(running, prompt, at: now) else {
        throw .busy("another presence prompt is open")
      }
      return queue(name, behind: other, at: now)
    }
    prompt.state = .armed(method)
    prompt.armedFirst = prompt.armedFirst ?? now
    prompts[name] = prompt
    renew(name, at: now)
    return .run
  }

  /// Reopens a prompt whose wait has ended, so that it can be armed.
  package mutating func endWait(_ name: String, at now: BootInstant) {
    switch prompts[name]?.state {
    case .waiting, .joined: prompts[name]?.state = .open
    default: return
    }
    renew(name, at: now)
  }

  /// Keeps a prompt for one lifetime longer than the prompt that it follows.
  mutating func follow(
    _ name: String,
    _ prompt: Prompt,
    _ state: State,
    _ running: Prompt
  ) {
    prompts[name] = prompt
    prompts[name]?.state = state
    prompts[name]?.deadline = running.deadline.advanced(bySeconds: Self.lifetime)
  }

  /// Whether the check of this prompt and method is the running one.
  ///
  /// A result of any other check is early, late or for another prompt, and must be dropped.
  package func isArmed(_ name: String, method: PresenceMethod, at now: BootInstant) -> Bool {
    guard let prompt = prompts[name] else { return false }
    return prompt.state == .armed(method) && now <= prompt.deadline
  }

  /// Gives the person time for the next step, such as a second question of the PAM conversation.
  package mutating func extend(_ name: String, at now: BootInstant) {
    guard case .armed? = prompts[name]?.state else { return }
    renew(name, at: now)
  }

  /// Marks an armed prompt as passed; joined prompts wait until its proof is spent.
  package mutating func pass(_ name: String, at now: BootInstant) {
    guard let prompt = prompts[name], case .armed(let method) = prompt.state,
      now <= prompt.deadline
    else { return }
    prompts[name]?.state = .passed(method)
    renew(name, at: now)
    guard prompt.question.purpose.mayBeShared else { return }
    for (other, beginning) in prompts
    where beginning.state == .beginning && beginning.question == prompt.question {
      for location in [prompt.location, prompt.origin].compactMap(\.self) {
        prompts[other]?.passedMeanwhile[location] = name
      }
    }
  }

  /// Records a failed check of an armed prompt, which stays for another method.
  ///
  /// A password whose helper was lost can be typed again.
  ///
  /// - Returns: the methods that may still be tried.
  package mutating func fail(
    _ name: String,
    with outcome: PresenceOutcome,
    isLost: Bool = false,
    lockout: FingerLockout,
    at now: BootInstant
  ) -> [PresenceMethod] {
    guard let prompt = prompts[name] else { return [] }
    if lockout.isPasswordOnly { refuseDevices(name) }
    // A late failure must not prolong the proof of a check that has already been passed.
    guard case .armed(let method) = prompt.state else { return methods(of: name) }
    prompts[name]?.state = .open
    let leavesMethod = method.isDevice ? outcome.leavesDevice : isLost || outcome.leavesPassword
    if !leavesMethod { prompts[name]?.impossible.insert(method) }
    renew(name, at: now)
    return methods(of: name)
  }

  /// Extends a prompt after a step, and the prompts that joined it.
  mutating func renew(_ name: String, at now: BootInstant) {
    let deadline = now.advanced(bySeconds: Self.lifetime)
    prompts[name]?.deadline = deadline
    for (other, prompt) in prompts
    where prompt.state == .joined(name) || prompt.state == .waiting(name) {
      prompts[other]?.deadline = max(prompt.deadline, deadline.advanced(bySeconds: Self.lifetime))
    }
  }

  /// Makes sure that no device can pass a prompt from here on.
  package mutating func refuseDevices(_ name: String) {
    prompts[name]?.impossible.formUnion(PresenceMethod.devices)
  }

  /// Gives a prompt up.
  package mutating func close(_ name: String, connection: UInt64) {
    guard prompts[name]?.connection == connection else { return }
    remove(name)
  }

  /// The names of the expired prompts, which their engine gives up.
  package func overdue(at now: BootInstant) -> [String] {
    prompts.filter { $0.value.end.map { $0 < now } ?? false }.map(\.key)
  }

  /// Removes a prompt, which can then answer no other one.
  mutating func remove(_ name: String) {
    prompts[name] = nil
    for (other, prompt) in prompts where prompt.state == .beginning {
      prompts[other]?.passedMeanwhile = prompt.passedMeanwhile.filter { $0.value != name }
    }
  }
}
