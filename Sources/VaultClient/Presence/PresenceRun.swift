public import PresenceTerms
internal import System
internal import Varlink
public import VaultInterface

/// The dialogue of one presence check, over the connection on which its prompt is valid.
///
/// Each error here leads to the end of the connection, which releases the reader.
public struct PresenceRun<View: PresenceView> {
  /// The most tries of one dialogue.
  ///
  /// The engine also counts them, so this limit only ends a loop.
  private static var mostTries: Int { 20 }
  /// The longest wait for another prompt, in seconds.
  private static var longestQueue: Int64 { 600 }
  /// How much longer than the prompt's own time to wait for its last answer, in seconds.
  private static var slack: Int64 { 5 }

  private enum Step {
    case passed
    case passwordChosen
    case failed(PresenceOutcome, message: String, left: [PresenceMethod])
    /// The other prompt is over.
    case free
  }

  private enum Answer {
    case event(CheckEvent)
    case failed(Step)
  }

  private let request: PresenceRequest
  private let methods: [PresenceMethod]
  /// The first allowed device; `nil` if no device is allowed.
  private let allowedDevice: PresenceMethod?
  private let connection: Connection
  private let view: View

  /// Prepares the dialogue with those methods of the request that are `allowed`.
  public init(
    _ request: PresenceRequest,
    allowed: Set<PresenceMethod> = Set(PresenceMethod.allCases),
    on connection: Connection,
    view: View
  ) {
    self.request = request
    methods = request.methods.filter(allowed.contains)
    allowedDevice = PresenceMethod.devices.first(where: allowed.contains)
    self.connection = connection
    self.view = view
  }

  /// Runs the dialogue.
  ///
  /// It returns when the check has passed.
  ///
  /// - Throws: `refused` with `presenceFailed` if the check did not pass.
  public func run() throws(VaultClientError) {
    guard !methods.isEmpty else { throw .refused(try objection()) }
    var methods = methods
    var isFirst = true
    var last: (outcome: PresenceOutcome, message: String) = (.notAvailable, "")
    var tries = 0
    while tries < Self.mostTries, !methods.isEmpty {
      tries += 1
      var method = methods.first(where: \.isDevice) ?? .fallback
      try view.begin(method, of: methods, isFirst: isFirst)
      isFirst = false
      switch method.isDevice ? try touch(&method, of: methods) : try type(method) {
      case .passed: return
      case .passwordChosen:
        last = (.passwordChosen, "")
        methods = methods.filter { !$0.isDevice }
      case .free:
        try takeTurn(method)
        isFirst = true
        tries -= 1
      case .failed(let outcome, let message, let left):
        last = (outcome, message)
        let offered = left.filter { self.methods.contains($0) }
        guard !offered.isEmpty, outcome != .cancelled, outcome != .timedOut else {
          // No other allowed method is left, because only a device counts.
          let isLockedOut = outcome == .noMatch && method.isDevice
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

  /// Continues after the other prompt.
  private func takeTurn(_ method: PresenceMethod) throws(VaultClientError) {
    let deadline = stepDeadline
    guard try !view.takeTurn(for: method, until: deadline) else { return }
    let outcome = BootInstant.now >= deadline ? PresenceOutcome.timedOut : .cancelled
    throw .refused(.presenceFailed(outcome, message: "", methods: []))
  }

  /// Shows that another prompt is open.
  ///
  /// Returns the deadline for its end.
  private func queue() -> BootInstant {
    view.show(.queued)
    return BootInstant.now.advanced(bySeconds: Self.longestQueue)
  }

  /// The deadline of the step that begins now.
  ///
  /// The engine gives each step the same time.
  private var stepDeadline: BootInstant {
    BootInstant.now.advanced(bySeconds: min(max(Int64(request.timeout), 1), 600))
  }

  /// Why the allowed device does not count.
  ///
  /// The engine gives the reason when a check asks for the device.
  private func objection() throws(VaultClientError) -> VaultError {
    let number = try connection.send(
      CheckCall(prompt: request.prompt, presenceMethod: allowedDevice ?? .fallback),
      more: true
    )
    while true {
      guard case .reply(let reply, let of) = try next(input: nil, until: stepDeadline) else {
        return .presenceFailed(.timedOut, message: "", methods: [])
      }
      guard of == number else { continue }
      guard case .failed(.failed(let outcome, let message, _)) = try answer(reply) else {
        // The device has become valid since, but its check was not intended. The end of the
        // connection releases it.
        return .presenceFailed(.notAvailable, message: "", methods: [])
      }
      return .presenceFailed(outcome, message: message, methods: [])
    }
  }

  /// Runs a check by the devices of these methods, which are armed together.
  ///
  /// `method` is the first of them, and at the end the one that the result is about.
  private func touch(
    _ method: inout PresenceMethod,
    of methods: [PresenceMethod]
  ) throws(VaultClientError) -> Step {
    let others = methods.armed(for: method).filter { $0 != method }
    let number = try connection.send(
      CheckCall(
        prompt: request.prompt,
        presenceMethod: method,
        wait: true,
        also: others.isEmpty ? nil : others
      ),
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
        // The key may be meant for the other prompt, so it does not count before the reader is
        // armed.
        case .password where isQueued: continue
        case .password: return .passwordChosen
        case .cancel: return .failed(.cancelled, message: "", left: [])
        }
      case .reply(let reply, let of):
        guard of == number else { continue }
        switch try answer(reply) {
        case .event(.waiting(_?, _, _)), .event(.waiting(nil, nil, nil)): view.show(.waiting)
        case .event(.waiting(nil, let finger, let scan)):
          view.show(.touch(finger: finger, scan: scan))
        case .event(.retry(let hint)): view.show(.retry(hint))
        case .event(.says(let text)): view.show(.said(text))
        case .event(.passed): return .passed
        case .event(.queued):
          isQueued = true
          deadline = queue()
        case .event(.free): return .free
        // A security key wants its PIN.
        case .event(.ask(let text, let hidden)):
          method = methods.first { $0.isDevice && $0.mayAsk } ?? method
          return try converse(number, method, asked: (text, hidden))
        case .event(.deviceFailed(let device, let outcome, let message, let devices)):
          let left = methods.filter { !$0.isDevice || devices.contains($0) }
          method = left.first(where: \.isDevice) ?? method
          deadline = stepDeadline
          view.show(.failed(device, outcome, message: message ?? "", left: left))
        case .failed(let failed): return failed
        }
      }
    }
  }

  /// Runs a check by typing.
  ///
  /// Its call cancels an open check by a device.
  private func type(_ method: PresenceMethod) throws(VaultClientError) -> Step {
    let number = try connection.send(
      CheckCall(prompt: request.prompt, presenceMethod: method, wait: true),
      more: true
    )
    return try converse(number, method)
  }

  /// Sends the person's answer to a question; `nil` if there is none.
  private func respond(
    to text: String,
    hidden: Bool,
    until deadline: BootInstant
  ) throws(VaultClientError) -> Connection.CallNumber? {
    // The engine closes the connection if the prompt is over, as when the screen is locked.
    guard let secret = try view.answer(to: text, hidden: hidden, until: deadline),
      !connection.hasEnded
    else { return nil }
    return try connection.send(RespondCall(prompt: request.prompt, text: secret), more: true)
  }

  /// Follows a check that asks questions; `asked` is one that is open already.
  private func converse(
    _ call: Connection.CallNumber,
    _ method: PresenceMethod,
    asked: (text: String, hidden: Bool)? = nil
  ) throws(VaultClientError) -> Step {
    var number = call
    var open = asked
    var hasAnswered = false
    var isQueued = false
    var deadline = stepDeadline
    while true {
      if let question = open {
        open = nil
        deadline = stepDeadline
        let sent = try respond(to: question.text, hidden: question.hidden, until: deadline)
        guard let sent else {
          let isLate = BootInstant.now >= deadline
          return .failed(isLate ? .timedOut : .cancelled, message: "", left: [])
        }
        number = sent
        hasAnswered = true
        deadline = stepDeadline
        if !method.isDevice { view.show(.checking) }
      }
      switch try next(input: isQueued ? view.input : view.cancelInput, until: deadline) {
      case .input where isQueued:
        guard case .cancel = view.takeInput() else { continue }
        return .failed(.cancelled, message: "", left: [])
      case .input:
        if view.takeCancel() { return .failed(.cancelled, message: "", left: []) }
      case .timedOut: return .failed(.timedOut, message: "", left: [])
      case .reply(let reply, let of):
        if of != number {
          // This is the end of the device's check. It may have passed at the last moment. The
          // prompt may also be gone, as when the screen was locked.
          switch try answer(reply) {
          case .event(.passed): return .passed
          case .failed(.failed(let outcome, let message, let left)) where left.isEmpty:
            return .failed(outcome, message: message, left: [])
          case .event, .failed: continue
          }
        }
        switch try answer(reply) {
        case .event(.passed): return .passed
        case .event(.says(let text)): view.show(.said(text))
        case .event(.waiting(nil, _, _)), .event(.retry), .event(.deviceFailed): continue
        case .event(.queued):
          isQueued = true
          deadline = queue()
        case .event(.free): return .free
        case .event(.waiting(let seconds?, _, _)):
          view.show(.wait(seconds: seconds, wasWrong: hasAnswered))
          deadline = stepDeadline
        case .failed(let failed): return failed
        case .event(.ask(let text, let hidden)): open = (text, hidden)
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
