package import PresenceTerms
package import SecretMemory
package import System
package import VaultClient
package import VaultInterface

/// One presence check at the person's terminal, for a command.
///
/// Enter chooses the password while a finger is awaited. Ctrl-C is an interrupt.
package final class TerminalPresence: PresenceView {
  /// Why the terminal failed, if that ended the check.
  package private(set) var failure: TerminalError?
  private let request: PresenceRequest
  private let terminal: Terminal
  private let interrupt: Int32?
  private var screen: PresenceScreen
  private var offersPassword = false
  private var listens = true
  /// Readable while a question is open if the engine has ended the prompt.
  private var ending: Int32?

  /// Prepares the dialogue.
  package init(_ request: PresenceRequest, at terminal: Terminal, interrupt: Int32?) {
    self.request = request
    self.terminal = terminal
    self.interrupt = interrupt
    screen = PresenceScreen(
      on: terminal,
      purpose: PresenceText.purpose(of: request),
      requester: PresenceText.requester(of: request),
      reason: request.reason,
      scan: request.scan ?? .press
    )
  }

  /// Leads the dialogue; returns when the prompt's check has passed.
  package func run(on connection: Connection) throws(VaultClientError) {
    try reading { () throws(TerminalError) in try terminal.hideInput() }
    defer {
      terminal.clearStatus()
      terminal.restore()
    }
    ending = connection.descriptor
    try PresenceRun(request, on: connection, view: self).run()
  }

  package var input: Int32? { listens ? terminal.descriptor.number : nil }

  package func begin(_ method: PresenceMethod, of methods: [PresenceMethod], isFirst: Bool) {
    offersPassword = !methods.allSatisfy(\.isDevice)
    guard isFirst else { return }
    screen.introduce(by: methods.armed(for: method), offersPassword: offersPassword)
  }

  // Ctrl-C is an interrupt; what is typed between two questions is kept for the next.
  package var cancelInput: Int32? { nil }

  package func takeCancel() -> Bool { false }

  /// Enter switches to the password where it is offered.
  package func takeInput() -> PresenceInput {
    let isEnter = terminal.takeEnter()
    listens = isEnter != nil
    return isEnter == true && offersPassword ? .password : .nothing
  }

  package func show(_ event: PresenceEvent) {
    screen.show(event)
  }

  package func takeTurn(
    for method: PresenceMethod,
    until deadline: BootInstant
  ) throws(VaultClientError) -> Bool {
    screen.takeTurn(byDevice: method.isDevice)
    guard method.isDevice else { return true }
    return try reading { () throws(TerminalError) in
      try terminal.readSecret(interrupt: interrupt, deadline: deadline) != nil
    }
  }

  package func answer(
    to text: String,
    hidden: Bool,
    until deadline: BootInstant
  ) throws(VaultClientError) -> SharedSecret? {
    let ask = { self.terminal.ask(check: text) }
    return try reading { () throws(TerminalError) in
      if hidden {
        defer { terminal.endLine() }
        return try terminal.readSecret(
          with: ending,
          interrupt: interrupt,
          deadline: deadline,
          ask: ask
        )
      }
      let line = try terminal.readVisible(
        with: ending,
        interrupt: interrupt,
        deadline: deadline,
        ask: ask
      )
      guard let line else { return nil }
      do throws(SecretMemoryError) {
        return SharedSecret(try SecretBytes(copying: Array(line.utf8)))
      } catch {
        throw .noMemory(error)
      }
    }
  }

  /// Reads from the terminal; what goes wrong there ends the check, and is kept.
  private func reading<Value>(
    _ body: () throws(TerminalError) -> Value
  ) throws(VaultClientError) -> Value {
    do throws(TerminalError) {
      return try body()
    } catch {
      failure = error
      throw .interrupted
    }
  }
}
