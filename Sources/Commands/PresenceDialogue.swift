internal import PlainText
internal import SecretMemory
internal import System
internal import VaultClient
internal import VaultInterface

/// The dialogue with the person that one presence check is.
///
/// Requester, account and purpose stand on the screen before the reader is armed, since what is
/// shown is what the proof releases. Closing the connection, which every error here leads to,
/// releases the reader.
struct PresenceDialogue {
  /// The most tries of one dialogue; the engine counts too, this only ends a loop.
  static let mostTries = 20
  /// The longest that another prompt is waited for, in seconds.
  static let longestQueue: Int64 = 600
  /// How much longer than the prompt's own time its last answer is waited for.
  static let slack: Int64 = 5

  private enum Step {
    case passed
    case passwordChosen
    case failed(PresenceOutcome, message: String, left: [PresenceMethod])
    /// The prompt that was waited for is over.
    case free
  }

  let request: PresenceRequest
  let connection: Connection
  let terminal: Terminal
  let output: Output
  let interrupt: Int32?

  /// Prepares the dialogue; fails where nobody can be asked.
  init(_ request: PresenceRequest, in session: Session) throws(CommandError) {
    // Nobody agrees to what is cut.
    let shown = PlainText.line(request.detail ?? "", limit: .max)
    guard shown.unicodeScalars.count <= PresenceText.longestDetail else {
      throw CommandError(.usage, "what the presence check is for is too long to be shown")
    }
    self.request = request
    terminal = try session.terminal(
      for: PresenceText.need(request)
    )
    connection = try session.vault()
    output = session.output
    interrupt = session.interrupt
  }

  /// Leads the dialogue; returns when the prompt's check has passed.
  func run() throws(CommandError) {
    try terminal.hideInput()
    defer {
      output.clearStatus()
      terminal.restore()
    }
    var methods = request.methods
    var announced = false
    var tries = 0
    while tries < Self.mostTries, !methods.isEmpty {
      tries += 1
      let method: PresenceMethod = methods.contains(.fingerprint) ? .fingerprint : .password
      if !announced {
        if let reason = PresenceText.reason(of: request) { output.say(reason) }
        output.say(
          method == .fingerprint
            ? PresenceText.fingerprintPrompt(request, password: methods.contains(.password))
            : PresenceText.passwordPrompt(request)
        )
        announced = true
      }
      switch method == .fingerprint ? try fingerprint(methods) : try password() {
      case .passed: return
      case .passwordChosen: methods = [.password]
      case .free:
        try goOn(method)
        announced = false
        tries -= 1
      case .failed(let outcome, let message, let left):
        let offered = left.filter { request.methods.contains($0) }
        guard !offered.isEmpty, outcome != .cancelled, outcome != .timedOut else {
          throw CommandError(VaultError.presenceFailed(outcome, message: message, methods: []))
        }
        output.say(PresenceText.nextTry(after: method, outcome, message, left: offered))
        methods = offered
      }
    }
    throw CommandError(.presence, "no presence check is possible here")
  }

  /// Waits until whoever is here says that it is this prompt's turn.
  ///
  /// A touch that was meant for the one before, or a finger that lies on the reader still, must not
  /// answer this one, nor a key that was pressed before the question stood there.
  private func goOn(_ method: PresenceMethod) throws(CommandError) {
    output.clearStatus()
    terminal.discardTyped()
    guard method == .fingerprint else { return output.say("The other prompt is over.") }
    output.say("The other prompt is over. Press Enter when you are ready for this one.")
    let deadline = stepDeadline
    guard try terminal.readSecret(interrupt: interrupt, deadline: deadline) != nil else {
      let outcome = BootInstant.now >= deadline ? PresenceOutcome.timedOut : .cancelled
      throw CommandError(VaultError.presenceFailed(outcome, message: "", methods: []))
    }
  }

  /// When the step that begins now has taken too long: the engine gives each as much.
  private var stepDeadline: BootInstant {
    BootInstant.now.advanced(bySeconds: min(max(Int64(request.timeout), 1), 600))
  }

  /// Arms the reader; Enter switches to the password where it is offered.
  private func fingerprint(_ methods: [PresenceMethod]) throws(CommandError) -> Step {
    let number = try send(
      CheckCall(prompt: request.prompt, presenceMethod: .fingerprint, wait: true),
      more: true
    )
    var listens = true
    var isQueued = false
    var deadline = stepDeadline
    while true {
      let input = listens ? terminal.descriptor.number : nil
      switch try next(input: input, until: deadline) {
      case .timedOut: return .failed(.timedOut, message: "", left: [])
      case .input:
        listens = terminal.discardLine()
        if listens && !isQueued && methods.contains(.password) { return .passwordChosen }
      case .reply(let reply, let of):
        guard of == number else { continue }
        switch try step(reply) {
        case .event(.waiting), .event(.wait): output.status("still waiting for the reader")
        case .event(.retry(let hint)): output.status(PresenceText.advice(hint))
        case .event(.passed): return .passed
        case .event(.queued):
          isQueued = true
          deadline = queue()
        case .event(.free): return .free
        case .event(.ask): throw CommandError(.bug, "a finger's check asked a question")
        case .failed(let failed): return failed
        }
      }
    }
  }

  /// Asks what the password check asks.
  ///
  /// Its call cancels a fingerprint's that is still open.
  private func password() throws(CommandError) -> Step {
    var number = try send(
      CheckCall(prompt: request.prompt, presenceMethod: .password, wait: true),
      more: true
    )
    var hasAnswered = false
    var deadline = stepDeadline
    while true {
      switch try next(input: nil, until: deadline) {
      case .input: continue
      case .timedOut: return .failed(.timedOut, message: "", left: [])
      case .reply(let reply, let of):
        if of != number {
          // The end of the finger's check. It may have passed at the last moment.
          if case .event(.passed) = try step(reply) { return .passed }
          continue
        }
        switch try step(reply) {
        case .event(.passed): return .passed
        case .event(.waiting), .event(.retry): continue
        case .event(.queued): deadline = queue()
        case .event(.free): return .free
        case .event(.wait(let seconds)):
          output.status(PresenceText.wait(seconds, hasAnswered: hasAnswered))
          deadline = stepDeadline
        case .failed(let failed): return failed
        case .event(.ask(let text, let hidden)):
          deadline = stepDeadline
          guard let answer = try answer(to: text, hidden: hidden, until: deadline) else {
            let timedOut = BootInstant.now >= deadline
            return .failed(timedOut ? .timedOut : .cancelled, message: "", left: [])
          }
          number = try send(RespondCall(prompt: request.prompt, text: answer), more: true)
          hasAnswered = true
          deadline = stepDeadline
          output.status("checking the password")
        }
      }
    }
  }

  private func answer(
    to text: String,
    hidden: Bool,
    until deadline: BootInstant
  ) throws(CommandError) -> SharedSecret? {
    let question = text.isEmpty ? "Password: " : text.hasSuffix(" ") ? text : text + " "
    if !hidden { terminal.restore() }
    output.ask(question)
    if hidden {
      defer { output.endLine() }
      guard let secret = try terminal.readSecret(interrupt: interrupt, deadline: deadline) else {
        return nil
      }
      return SharedSecret(secret)
    }
    defer { _ = try? terminal.hideInput() }
    guard let line = try terminal.readVisible(interrupt: interrupt, deadline: deadline) else {
      return nil
    }
    do { return SharedSecret(try SecretBytes(copying: Array(line.utf8))) } catch {
      throw CommandError(.bug, "no locked memory for the answer: \(error)")
    }
  }

  /// Says why nothing happens; until when the end of the other prompt is waited for.
  private func queue() -> BootInstant {
    output.status("waiting for the other prompt")
    return BootInstant.now.advanced(bySeconds: Self.longestQueue)
  }

  private enum Answer {
    case event(CheckEvent)
    case failed(Step)
  }

  private func step(_ reply: VarlinkReply) throws(CommandError) -> Answer {
    do {
      return .event(try Connection.result(of: reply, to: CheckCall.self))
    } catch .refused(.presenceFailed(let outcome, let message, let methods)) {
      return .failed(.failed(outcome, message: message, left: methods))
    } catch {
      throw CommandError(error)
    }
  }

  private func send(
    _ call: some VarlinkMethod,
    more: Bool = false
  ) throws(CommandError) -> Connection.CallNumber {
    do { return try connection.send(call, more: more) } catch { throw CommandError(error) }
  }

  private func next(
    input: Int32?,
    until deadline: BootInstant
  ) throws(CommandError) -> Connection.Event {
    do {
      return try connection.next(
        input: input,
        deadline: deadline.advanced(bySeconds: Self.slack)
      )
    } catch { throw CommandError(error) }
  }
}
