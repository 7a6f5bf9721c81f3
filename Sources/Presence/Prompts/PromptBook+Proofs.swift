package import PresenceTerms
package import System

// The proofs of passed prompts, and the only place that makes them.
extension PromptBook {
  /// The status of a prompt for a call that names it.
  ///
  /// - Throws: `denied` for a prompt of another connection or with another question, `timedOut` for
  ///   an expired one.
  package func status(
    of name: String,
    question: PromptQuestion,
    connection: UInt64,
    at now: BootInstant
  ) throws(PresenceFailure) -> Status {
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

  /// Takes the proof of a passed prompt and removes the prompt.
  package mutating func takeProof(
    _ name: String,
    question: PromptQuestion,
    connection: UInt64,
    at now: BootInstant
  ) throws(PresenceFailure) -> PresenceProof {
    let (method, deadline) = try takePassed(name, question, connection, now)
    return PresenceProof(
      origin: .check(method),
      purpose: question.purpose,
      account: question.account,
      connection: connection,
      deadline: deadline
    )
  }

  /// The lifetime of proofs for several accounts, in seconds: each use waits for the previous ones.
  package static let lifetimeOfSeveral: Int64 = 300

  /// Takes the proofs of a passed prompt that named several accounts.
  ///
  /// Each account gets one proof for one use. The prompt is removed.
  package mutating func takeProofs(
    _ name: String,
    question: PromptQuestion,
    connection: UInt64,
    at now: BootInstant,
    each body: (_ account: [UInt8], _ proof: consuming PresenceProof) -> Void
  ) throws(PresenceFailure) {
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
  ) throws(PresenceFailure) -> (method: PresenceMethod, deadline: BootInstant) {
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
}
