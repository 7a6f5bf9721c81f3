public import SecretMemory
public import System
public import VaultInterface

/// The person's side of a presence check: what is shown to them, and what they do.
public protocol PresenceView {
  /// Readable when the person did something while nothing was asked; nil: no more will come.
  var input: Int32? { get }
  /// A try by this one of the methods begins, which are all that are left.
  ///
  /// What is asked has to stand there when this returns: `isFirst` where it does not yet.
  func begin(_ method: PresenceMethod, of methods: [PresenceMethod], isFirst: Bool)
  /// What the person did while nothing was asked.
  func takeInput() -> PresenceInput
  /// Readable when the person may have given up between two questions; nil: an interrupt tells that.
  var cancelInput: Int32? { get }
  /// Whether they have; whatever else they did stays for the next question.
  func takeCancel() -> Bool
  /// Something happened that the person is to know of.
  func show(_ event: PresenceEvent)
  /// The prompt that was waited for is over: waits, before a finger is awaited, until the person says
  /// that it is this one's turn; false: that did not come in time, or they gave up.
  ///
  /// A touch that was meant for the one before, or a finger that lies on the reader still, must not
  /// answer this one, nor what was typed before.
  func takeTurn(
    for method: PresenceMethod,
    until deadline: BootInstant
  ) throws(VaultClientError) -> Bool
  /// The person's answer to a question; nil: none came in time, or they gave up.
  func answer(
    to question: String,
    hidden: Bool,
    until deadline: BootInstant
  ) throws(VaultClientError) -> SharedSecret?
}

/// What a person did while nothing was asked.
public enum PresenceInput: Sendable {
  /// Nothing that counts.
  case nothing
  /// Rather the password.
  case password
  /// Gave it up.
  case cancel
}

/// What a person hears during a presence check.
public enum PresenceEvent: Sendable, Equatable {
  /// Another prompt is open: the end of that is waited for.
  case queued
  /// The reader waits for a finger.
  case waiting
  /// The reader waits to be touched like this, by this finger if only one can match.
  case touch(finger: String?, scan: ScanType?)
  /// The finger was not seen well.
  case retry(ScanHint)
  /// The next password is tried after so many seconds; whether one was wrong just now.
  case wait(seconds: Int, wasWrong: Bool)
  /// The answer is being checked.
  case checking
  /// This try did not pass, and another follows by one of these methods.
  case failed(PresenceMethod, PresenceOutcome, message: String, left: [PresenceMethod])
}

/// The dialogue that one presence check is, over the connection that its prompt is valid on.
///
/// Closing the connection, which every error here leads to, releases the reader.
public struct PresenceRun<View: PresenceView> {
  /// The most tries of one dialogue; the engine counts too, this only ends a loop.
  private static var mostTries: Int { 20 }
  /// The longest that another prompt is waited for, in seconds.
  private static var longestQueue: Int64 { 600 }
  /// How much longer than the prompt's own time its last answer is waited for, in seconds.
  private static var slack: Int64 { 5 }

  private enum Step {
    case passed
    case passwordChosen
    case failed(PresenceOutcome, message: String, left: [PresenceMethod])
    /// The prompt that was waited for is over.
    case free
  }

  private enum Answer {
    case event(CheckEvent)
    case failed(Step)
  }

  private let request: PresenceRequest
  private let methods: [PresenceMethod]
  private let connection: Connection
  private let view: View

  /// Prepares the dialogue, by those of the request's methods that are `allowed`.
  public init(
    _ request: PresenceRequest,
    allowed: Set<PresenceMethod> = [.fingerprint, .password],
    on connection: Connection,
    view: View
  ) {
    self.request = request
    methods = request.methods.filter(allowed.contains)
    self.connection = connection
    self.view = view
  }

  /// Leads the dialogue; returns when the prompt's check has passed.
  ///
  /// - Throws: `refused` with `presenceFailed` where it did not.
  public func run() throws(VaultClientError) {
    guard !methods.isEmpty else { throw .refused(try objection()) }
    var methods = methods
    var isFirst = true
    var last: (outcome: PresenceOutcome, message: String) = (.notAvailable, "")
    var tries = 0
    while tries < Self.mostTries, !methods.isEmpty {
      tries += 1
      let method: PresenceMethod = methods.contains(.fingerprint) ? .fingerprint : .password
      view.begin(method, of: methods, isFirst: isFirst)
      isFirst = false
      switch method == .fingerprint ? try fingerprint() : try password() {
      case .passed: return
      case .passwordChosen:
        last = (.passwordChosen, "")
        methods = methods.filter { $0 == .password }
      case .free:
        try takeTurn(method)
        isFirst = true
        tries -= 1
      case .failed(let outcome, let message, let left):
        last = (outcome, message)
        let offered = left.filter { self.methods.contains($0) }
        guard !offered.isEmpty, outcome != .cancelled, outcome != .timedOut else {
          // The last one that was allowed, where nothing but a finger counts.
          let isLockedOut = outcome == .noMatch && method == .fingerprint
          throw .refused(
            .presenceFailed(isLockedOut ? .lockedOut : outcome, message: message, methods: [])
          )
        }
        view.show(.failed(method, outcome, message: message, left: offered))
        methods = offered
      }
    }
    throw .refused(.presenceFailed(last.outcome, message: last.message, methods: []))
  }

  /// Goes on after the prompt that was waited for.
  private func takeTurn(_ method: PresenceMethod) throws(VaultClientError) {
    let deadline = stepDeadline
    guard try !view.takeTurn(for: method, until: deadline) else { return }
    let outcome = BootInstant.now >= deadline ? PresenceOutcome.timedOut : .cancelled
    throw .refused(.presenceFailed(outcome, message: "", methods: []))
  }

  /// Says why nothing happens; until when the end of the other prompt is waited for.
  private func queue() -> BootInstant {
    view.show(.queued)
    return BootInstant.now.advanced(bySeconds: Self.longestQueue)
  }

  /// When the step that begins now has taken too long: the engine gives each as much.
  private var stepDeadline: BootInstant {
    BootInstant.now.advanced(bySeconds: min(max(Int64(request.timeout), 1), 600))
  }

  /// Why the finger does not count that alone is allowed: the engine tells those who ask for it.
  private func objection() throws(VaultClientError) -> VaultError {
    let number = try connection.send(
      CheckCall(prompt: request.prompt, presenceMethod: .fingerprint),
      more: true
    )
    while true {
      guard case .reply(let reply, let of) = try next(input: nil, until: stepDeadline) else {
        return .presenceFailed(.timedOut, message: "", methods: [])
      }
      guard of == number else { continue }
      guard case .failed(.failed(let outcome, let message, _)) = try answer(reply) else {
        // It counts since a moment ago, but was not asked for: hanging up releases the reader.
        return .presenceFailed(.notAvailable, message: "", methods: [])
      }
      return .presenceFailed(outcome, message: message, methods: [])
    }
  }

  /// Arms the reader.
  private func fingerprint() throws(VaultClientError) -> Step {
    let number = try connection.send(
      CheckCall(prompt: request.prompt, presenceMethod: .fingerprint, wait: true),
      more: true
    )
    var isQueued = false
    var deadline = stepDeadline
    while true {
      switch try next(input: view.input, until: deadline) {
      case .timedOut: return .failed(.timedOut, message: "", left: [])
      case .input:
        switch view.takeInput() {
        case .nothing: continue
        // No choice while nothing is armed: it may be meant for the other prompt.
        case .password where isQueued: continue
        case .password: return .passwordChosen
        case .cancel: return .failed(.cancelled, message: "", left: [])
        }
      case .reply(let reply, let of):
        guard of == number else { continue }
        switch try answer(reply) {
        case .event(.waiting), .event(.wait): view.show(.waiting)
        case .event(.touch(let finger, let scan)): view.show(.touch(finger: finger, scan: scan))
        case .event(.retry(let hint)): view.show(.retry(hint))
        case .event(.passed): return .passed
        case .event(.queued):
          isQueued = true
          deadline = queue()
        case .event(.free): return .free
        // No question belongs to a finger.
        case .event(.ask): throw .disconnected
        case .failed(let failed): return failed
        }
      }
    }
  }

  /// Asks what the password check asks.
  ///
  /// Its call cancels a fingerprint's that is still open.
  private func password() throws(VaultClientError) -> Step {
    var number = try connection.send(
      CheckCall(prompt: request.prompt, presenceMethod: .password, wait: true),
      more: true
    )
    var hasAnswered = false
    var isQueued = false
    var deadline = stepDeadline
    while true {
      switch try next(input: isQueued ? view.input : view.cancelInput, until: deadline) {
      case .input where isQueued:
        guard case .cancel = view.takeInput() else { continue }
        return .failed(.cancelled, message: "", left: [])
      case .input:
        if view.takeCancel() { return .failed(.cancelled, message: "", left: []) }
      case .timedOut: return .failed(.timedOut, message: "", left: [])
      case .reply(let reply, let of):
        if of != number {
          // The end of the finger's check. It may have passed at the last moment, and the prompt may
          // be gone, as when the screen was locked.
          switch try answer(reply) {
          case .event(.passed): return .passed
          case .failed(.failed(let outcome, let message, let left)) where left.isEmpty:
            return .failed(outcome, message: message, left: [])
          case .event, .failed: continue
          }
        }
        switch try answer(reply) {
        case .event(.passed): return .passed
        case .event(.waiting), .event(.touch), .event(.retry): continue
        case .event(.queued):
          isQueued = true
          deadline = queue()
        case .event(.free): return .free
        case .event(.wait(let seconds)):
          view.show(.wait(seconds: seconds, wasWrong: hasAnswered))
          deadline = stepDeadline
        case .failed(let failed): return failed
        case .event(.ask(let text, let hidden)):
          deadline = stepDeadline
          guard let secret = try view.answer(to: text, hidden: hidden, until: deadline) else {
            let isLate = BootInstant.now >= deadline
            return .failed(isLate ? .timedOut : .cancelled, message: "", left: [])
          }
          number = try connection.send(
            RespondCall(prompt: request.prompt, text: secret),
            more: true
          )
          hasAnswered = true
          deadline = stepDeadline
          view.show(.checking)
        }
      }
    }
  }

  private func answer(_ reply: VarlinkReply) throws(VaultClientError) -> Answer {
    do {
      return .event(try Connection.result(of: reply, to: CheckCall.self))
    } catch .refused(.presenceFailed(let outcome, let message, let methods)) {
      return .failed(.failed(outcome, message: message, left: methods))
    }
  }

  private func next(
    input: Int32?,
    until deadline: BootInstant
  ) throws(VaultClientError) -> Connection.Event {
    try connection.next(input: input, deadline: deadline.advanced(bySeconds: Self.slack))
  }
}
