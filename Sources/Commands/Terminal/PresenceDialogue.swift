internal import PlainText
internal import SecretMemory
internal import System
internal import VaultClient
internal import VaultInterface

/// One presence check at the person's terminal.
///
/// Requester, account and purpose are on the screen before the reader is armed, because the proof
/// allows exactly the action that is shown.
struct PresenceDialogue {
  private let request: PresenceRequest
  private let connection: Connection
  private let terminal: Terminal
  private let output: Output
  private let interrupt: Int32?

  /// Prepares the dialogue; fails if the person cannot be asked.
  init(_ request: PresenceRequest, in session: Session) throws(CommandError) {
    // A truncated question must not be approved.
    let shown = PlainText.line(request.detail ?? "", limit: .max)
    guard shown.unicodeScalars.count <= PresenceText.longestDetail else {
      throw CommandError(.usage, "the purpose of the presence check is too long to be shown")
    }
    self.request = request
    terminal = try session.terminal(
      for: PresenceText.need(request)
    )
    connection = try session.vault()
    output = session.output
    interrupt = session.interrupt
  }

  /// Runs the dialogue; returns when the prompt's check has passed.
  func run() throws(CommandError) {
    try terminal.hideInput()
    defer {
      output.clearStatus()
      terminal.restore()
    }
    let view = TerminalView(request, terminal, output, interrupt)
    do throws(VaultClientError) {
      try PresenceRun(request, on: connection, view: view).run()
    } catch {
      throw view.failure ?? CommandError(error)
    }
  }
}

/// The person's side of a check at a terminal.
private final class TerminalView: PresenceView {
  /// Why the terminal failed, if that ended the check.
  private(set) var failure: CommandError?
  private let request: PresenceRequest
  private let terminal: Terminal
  private let output: Output
  private let interrupt: Int32?
  private var methods: [PresenceMethod] = []
  private var scan: ScanType
  private var listens = true

  init(_ request: PresenceRequest, _ terminal: Terminal, _ output: Output, _ interrupt: Int32?) {
    self.request = request
    self.terminal = terminal
    self.output = output
    self.interrupt = interrupt
    scan = request.scan ?? .press
  }

  var input: Int32? { listens ? terminal.descriptor.number : nil }

  func begin(_ method: PresenceMethod, of methods: [PresenceMethod], isFirst: Bool) {
    self.methods = methods
    guard isFirst else { return }
    if let reason = PresenceText.reason(of: request) { output.say(reason) }
    let (purpose, requester) = (PresenceText.purpose(of: request), request.requester)
    output.say(
      method == .fingerprint
        ? PresenceText.fingerprintPrompt(
          to: purpose,
          requester: requester,
          password: methods.contains(.password),
          scan
        ) : PresenceText.passwordPrompt(to: purpose, requester: requester)
    )
  }

  // Ctrl-C is an interrupt. Text that is typed between two questions is kept for the next one.
  var cancelInput: Int32? { nil }

  func takeCancel() -> Bool { false }

  /// Enter switches to the password if it is offered.
  func takeInput() -> PresenceInput {
    listens = terminal.discardLine()
    return listens && methods.contains(.password) ? .password : .nothing
  }

  func show(_ event: PresenceEvent) {
    switch event {
    case .queued: output.status(PresenceText.queued)
    case .waiting: output.status("still waiting for the reader")
    case .touch(let finger, let scan):
      self.scan = scan ?? self.scan
      output.status(PresenceText.touch(finger, self.scan))
    case .retry(let hint): output.status(PresenceText.advice(hint, scan))
    case .wait(let seconds, let wasWrong):
      output.status(PresenceText.wait(seconds, hasAnswered: wasWrong))
    case .checking: output.status(PresenceText.checking)
    case .failed(let method, let outcome, let message, let left):
      output.say(PresenceText.nextTry(after: method, outcome, message, left: left, scan))
    }
  }

  func takeTurn(
    for method: PresenceMethod,
    until deadline: BootInstant
  ) throws(VaultClientError) -> Bool {
    output.clearStatus()
    terminal.discardTyped()
    guard method == .fingerprint else {
      output.say(PresenceText.isOver)
      return true
    }
    output.say(PresenceText.isReady)
    return try reading { () throws(CommandError) in
      try terminal.readSecret(interrupt: interrupt, deadline: deadline) != nil
    }
  }

  func answer(
    to text: String,
    hidden: Bool,
    until deadline: BootInstant
  ) throws(VaultClientError) -> SharedSecret? {
    try reading { () throws(CommandError) in
      if !hidden { terminal.restore() }
      output.ask(PresenceText.question(text))
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
  }

  /// Reads from the terminal; a failure ends the check, and is kept.
  private func reading<Value>(
    _ body: () throws(CommandError) -> Value
  ) throws(VaultClientError) -> Value {
    do throws(CommandError) {
      return try body()
    } catch {
      failure = error
      throw .interrupted
    }
  }
}
