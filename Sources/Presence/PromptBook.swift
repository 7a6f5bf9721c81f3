public import System

/// The prompts that are open, which one is armed, and who waits for whom.
///
/// Pure: no clock, no I/O.
///
/// One prompt at a time is armed. A second caller who asks the same from the same place joins it and
/// takes its outcome; anything else is busy, or waits until it is told that the other one is over.
/// Nothing is armed then: a prompt that was armed by itself would be approved by a touch that was
/// meant for the one before it.
public struct PromptBook: Sendable {
  /// How long a prompt waits for its next step, in seconds.
  public static let lifetime: Int64 = 30
  /// How much longer an armed prompt is kept, so that its check can end by itself, in seconds.
  ///
  /// A result of that time counts for nothing; but the person can go on with the password.
  public static let grace: Int64 = 10
  /// How many prompts one connection may have open.
  public static let mostPerConnection = 8

  enum State: Sendable, Equatable {
    /// Where its person sits, and which fingers count, is being found out.
    case beginning
    case open
    case armed(PresenceMethod)
    case joined(String)
    case waiting(String)
    case passed(PresenceMethod)
  }

  struct Prompt: Sendable {
    let question: PromptQuestion
    /// Nil while that is being found out.
    var place: String?
    let connection: UInt64
    var state = State.beginning
    var deadline: BootInstant
    var fingerprintPossible = false
    /// Prompts of the same question whose checks were passed while this one was beginning, by place.
    var passedMeanwhile: [String: String] = [:]
    /// Whether the person was asked: the reader was armed, or a password's stack.
    var wasArmed = false
    /// The device number of the terminal of the program that asks; nil if it has none.
    var terminal: Int32?
    /// Whether it counts against the limit of prompts.
    var isCounted = true

    /// After this nobody can make anything of it any more; nil: whoever makes it ready ends it.
    var end: BootInstant? {
      switch state {
      case .beginning: nil
      case .armed: deadline.advanced(bySeconds: PromptBook.grace)
      case .open, .joined, .waiting, .passed: deadline
      }
    }

    /// Whether something can come of it still.
    func counts(at now: BootInstant) -> Bool { state == .beginning || now <= deadline }
  }

  // Changed by this room alone: what stands in it is who may be asked, and what counts.
  var prompts: [String: Prompt] = [:]

  /// An empty book.
  public init() {}

  /// Enters a prompt for a question of a connection, which `open` makes ready: those who ask the same
  /// meanwhile find that it is asked.
  ///
  /// - Parameters:
  ///   - name: random and new; it is the capability to run the check.
  ///   - question: what the person is asked.
  ///   - connection: who may run it.
  ///   - terminal: the device number of that program's controlling terminal.
  ///   - isCounted: whether it counts against the limit of prompts already.
  ///   - now: the moment of asking.
  /// - Returns: false if the connection has too many prompts open.
  public mutating func begin(
    _ name: String,
    question: PromptQuestion,
    connection: UInt64,
    terminal: Int32? = nil,
    isCounted: Bool = true,
    at now: BootInstant
  ) -> Bool {
    // What is overdue stays for `expire`, whose caller has to end its check.
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
  ///   - place: where the person sits; a check is shared within one place only.
  ///   - fingerprintPossible: false while no finger can pass it.
  ///   - now: the moment of asking.
  /// - Returns: what it is then; nil: it was given up.
  public mutating func open(
    _ name: String,
    place: String = "",
    fingerprintPossible: Bool,
    at now: BootInstant
  ) -> Opening? {
    guard var prompt = prompts[name], prompt.state == .beginning else { return nil }
    prompt.state = .open
    prompt.place = place
    prompt.fingerprintPossible = fingerprintPossible
    prompt.deadline = now.advanced(bySeconds: Self.lifetime)
    prompts[name] = prompt
    return prompt.passedMeanwhile[place].map(Opening.answered) ?? .asks
  }

  /// Ends a prompt that was begun, and not opened.
  public mutating func endBeginning(_ name: String) {
    if prompts[name]?.state == .beginning { prompts[name] = nil }
  }

  /// The methods that may still be tried with a prompt.
  public func methods(of name: String) -> [PresenceMethod] {
    guard let prompt = prompts[name] else { return [] }
    return prompt.question.purpose.methods.filter {
      $0 == .password || prompt.fingerprintPossible
    }
  }

  /// What a prompt asks.
  public func question(of name: String) -> PromptQuestion? { prompts[name]?.question }

  /// Where the person sits who is asked; nil while that is being found out.
  public func place(of name: String) -> String? { prompts[name]?.place }

  /// Arms a prompt for a method; one that `mayWait` is not busy while another question is armed.
  ///
  /// - Throws: `denied` for a prompt that is not this connection's or is used up, `timedOut` for one
  ///   that has expired, `busy` while another question is armed, `lockedOut` for a finger where
  ///   only the password counts.
  public mutating func arm(
    _ name: String,
    method: PresenceMethod,
    connection: UInt64,
    mayWait: Bool = false,
    at now: BootInstant
  ) throws(PresenceOutcome) -> Arming {
    guard var prompt = prompts[name], prompt.connection == connection, prompt.state != .beginning
    else {
      throw .denied("no such prompt on this connection")
    }
    guard now <= prompt.deadline else {
      prompts[name] = nil
      throw .timedOut
    }
    guard prompt.question.purpose.methods.contains(method) else {
      throw .denied("this needs the system password, not a finger")
    }
    if case .passed = prompt.state { throw .denied("the check was passed already") }
    if method == .fingerprint && !prompt.fingerprintPossible { throw .lockedOut }
    for (other, running) in prompts where other != name {
      guard case .armed = running.state, let end = running.end, now <= end else { continue }
      guard running.question == prompt.question, running.place == prompt.place,
        prompt.question.purpose.mayBeShared, now <= running.deadline
      else {
        guard mayWait else { throw .busy("another presence prompt is open") }
        follow(name, prompt, .waiting(other), running)
        return .wait(other)
      }
      follow(name, prompt, .joined(other), running)
      return .join(other)
    }
    prompt.state = .armed(method)
    prompt.wasArmed = true
    prompts[name] = prompt
    renew(name, at: now)
    return .run
  }

  /// The prompt that this one waited for is over, or nobody waits any longer: it can be armed.
  public mutating func endWait(_ name: String, at now: BootInstant) {
    guard case .waiting? = prompts[name]?.state else { return }
    prompts[name]?.state = .open
    renew(name, at: now)
  }

  /// A prompt stays as long as the one that it follows, and a lifetime more.
  private mutating func follow(
    _ name: String,
    _ prompt: Prompt,
    _ state: State,
    _ running: Prompt
  ) {
    prompts[name] = prompt
    prompts[name]?.state = state
    prompts[name]?.deadline = running.deadline.advanced(bySeconds: Self.lifetime)
  }

  /// Whether the check of this prompt, by this method, is the one that runs: a result for any
  /// other came early, late or for someone else, and must be dropped.
  public func isArmed(_ name: String, method: PresenceMethod, at now: BootInstant) -> Bool {
    guard let prompt = prompts[name] else { return false }
    return prompt.state == .armed(method) && now <= prompt.deadline
  }

  /// Gives the person time for the next step, such as a second question of the password's stack.
  public mutating func extend(_ name: String, at now: BootInstant) {
    guard case .armed? = prompts[name]?.state else { return }
    renew(name, at: now)
  }

  /// The check of an armed prompt was passed; those who joined wait for the proof to be spent.
  public mutating func pass(_ name: String, at now: BootInstant) {
    guard let prompt = prompts[name], case .armed(let method) = prompt.state,
      now <= prompt.deadline
    else { return }
    prompts[name]?.state = .passed(method)
    renew(name, at: now)
    guard prompt.question.purpose.mayBeShared, let place = prompt.place else { return }
    for (other, beginning) in prompts
    where beginning.state == .beginning && beginning.question == prompt.question {
      prompts[other]?.passedMeanwhile[place] = name
    }
  }

  /// The check of an armed prompt ended without success; the prompt stays, for another method.
  ///
  /// - Returns: the methods that may still be tried.
  public mutating func fail(
    _ name: String,
    with outcome: PresenceOutcome,
    lockout: FingerLockout,
    at now: BootInstant
  ) -> [PresenceMethod] {
    guard let prompt = prompts[name] else { return [] }
    if lockout.isPasswordOnly { prompts[name]?.fingerprintPossible = false }
    // A failure that comes late must not prolong the proof of a check that was passed meanwhile.
    guard case .armed(let method) = prompt.state else { return methods(of: name) }
    prompts[name]?.state = .open
    if method == .fingerprint && !outcome.leavesFingerprint {
      prompts[name]?.fingerprintPossible = false
    }
    renew(name, at: now)
    return methods(of: name)
  }

  /// A step was made: the prompt waits for the next one, and those who joined it wait longer.
  private mutating func renew(_ name: String, at now: BootInstant) {
    let deadline = now.advanced(bySeconds: Self.lifetime)
    prompts[name]?.deadline = deadline
    for (other, prompt) in prompts
    where prompt.state == .joined(name) || prompt.state == .waiting(name) {
      prompts[other]?.deadline = max(
        prompt.deadline,
        deadline.advanced(bySeconds: Self.lifetime)
      )
    }
  }

  /// What a call that names a prompt may do.
  ///
  /// - Throws: `denied` where the prompt is not this connection's or asks something else,
  ///   `timedOut` where it has expired.
  public func standing(
    of name: String,
    question: PromptQuestion,
    connection: UInt64,
    at now: BootInstant
  ) throws(PresenceOutcome) -> Standing {
    guard let prompt = prompts[name], prompt.connection == connection,
      prompt.question == question
    else { throw .denied("no such prompt on this connection") }
    switch prompt.state {
    case .joined(let leader): return .joined(leader)
    case .beginning, .open, .armed, .waiting: return .open
    case .passed:
      guard now <= prompt.deadline else { throw .timedOut }
      return .passed
    }
  }

  /// Takes the proof of a passed prompt; the prompt is gone afterwards.
  public mutating func takeProof(
    _ name: String,
    question: PromptQuestion,
    connection: UInt64,
    at now: BootInstant
  ) throws(PresenceOutcome) -> PresenceProof {
    let (method, deadline) = try takePassed(name, question, connection, now)
    return PresenceProof(
      origin: .check(method),
      purpose: question.purpose,
      account: question.account,
      connection: connection,
      deadline: deadline
    )
  }

  /// How long the proofs of a check for several accounts last, in seconds: each waits for those before
  /// it.
  public static let lifetimeOfSeveral: Int64 = 300

  /// Takes the proofs of a passed prompt that named several accounts.
  ///
  /// There is one for each of them, each for one use. The prompt is gone afterwards.
  public mutating func takeProofs(
    _ name: String,
    question: PromptQuestion,
    connection: UInt64,
    at now: BootInstant,
    each body: (_ account: [UInt8], _ proof: consuming PresenceProof) -> Void
  ) throws(PresenceOutcome) {
    let (method, _) = try takePassed(name, question, connection, now)
    for account in question.accounts {
      let proof = PresenceProof(
        origin: .check(method),
        purpose: question.purpose,
        account: account,
        connection: connection,
        deadline: now.advanced(bySeconds: Self.lifetimeOfSeveral)
      )
      body(account, proof)
    }
  }

  private mutating func takePassed(
    _ name: String,
    _ question: PromptQuestion,
    _ connection: UInt64,
    _ now: BootInstant
  ) throws(PresenceOutcome) -> (method: PresenceMethod, deadline: BootInstant) {
    guard let prompt = prompts[name], prompt.connection == connection,
      prompt.question == question, case .passed(let method) = prompt.state
    else { throw .denied("no passed presence check for this") }
    guard now <= prompt.deadline else {
      remove(name)
      throw .timedOut
    }
    prompts[name] = nil
    return (method, prompt.deadline)
  }

  /// From here on no finger can pass a prompt.
  public mutating func refuseFinger(_ name: String) { prompts[name]?.fingerprintPossible = false }

  /// Gives a prompt up.
  public mutating func close(_ name: String, connection: UInt64) {
    guard prompts[name]?.connection == connection else { return }
    remove(name)
  }

  /// Removes what nobody has used in time; the names of those removed.
  public mutating func expire(at now: BootInstant) -> [String] {
    let gone = prompts.filter { $0.value.end.map { $0 < now } ?? false }.map(\.key)
    for name in gone { remove(name) }
    return gone
  }

  /// What brought nothing answers nobody.
  private mutating func remove(_ name: String) {
    prompts[name] = nil
    for (other, prompt) in prompts where prompt.state == .beginning {
      prompts[other]?.passedMeanwhile = prompt.passedMeanwhile.filter { $0.value != name }
    }
  }
}
