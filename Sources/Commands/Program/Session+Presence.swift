internal import DesktopPrompt
internal import PlainText
internal import PresenceTerms
internal import TerminalIO
internal import VaultClient
internal import VaultInterface

// The presence checks of a run: at the terminal, else at the desktop. An agent shows the prompt
// there. If none does, the clients of a private vault show it themselves.
extension Session {
  /// Whether a question can be asked at the terminal.
  var canQuestion: Bool { !arguments.has("--no-input") && findTerminal() != nil }

  /// Whether a presence check can be made here.
  var canAsk: Bool {
    canQuestion || !arguments.has("--no-input") && (try? findDesktop()?.get()) != nil
  }

  /// The same for the engine; `nil` if only the agents know.
  var saysCanAsk: Bool? {
    guard !canAsk else { return true }
    guard !arguments.has("--no-input") else { return false }
    // A restricted socket may come from another machine, where its prompts are shown.
    if case .socket = location { return nil }
    return hasAgents ? nil : false
  }

  /// Whether an agent may run at the person's desktop.
  private var hasAgents: Bool {
    !arguments.has("--no-input") && Desktop.remoteVariable(environment) == nil
      && location?.mayHaveAgent(environment: environment) == true
  }

  /// The person's desktop, or why there is none; `nil` if it is not used.
  func findDesktop() -> Result<Desktop, DesktopError>? {
    if desktopIfAny == nil, let openDesktop {
      desktopIfAny = Result { () throws(DesktopError) in try openDesktop() }
    }
    return desktopIfAny
  }

  /// Asks the person at the terminal, or at the desktop if there is no terminal.
  var asker: PresenceAsker {
    PresenceAsker(
      canAsk: self.canAsk,
      tellOfDesktop: { request in
        let need = PresenceText.need(request)
        self.output.talk("waiting for \(need), at the desktop where the agent runs")
      },
      openKey: { message, connection throws(VaultClientError) in
        do throws(CommandError) {
          try self.openMachineKey(message, on: connection)
        } catch {
          self.failure = error
          throw .interrupted
        }
      },
      check: { request, connection throws(VaultClientError) in
        do throws(CommandError) {
          try self.check(request, on: connection)
        } catch {
          self.failure = error
          throw .interrupted
        }
      }
    )
  }

  /// The error of a presence check that could not be led, once.
  func takeFailure() -> CommandError? {
    defer { failure = nil }
    return failure
  }

  /// Leads a presence check; fails if there is no person to ask.
  private func check(_ request: PresenceRequest, on connection: Connection) throws(CommandError) {
    // The person must see all that a check allows.
    let shown = PlainText.line(request.detail ?? "", limit: .max)
    guard shown.unicodeScalars.count <= PresenceText.longestDetail else {
      throw .usage("the purpose of the presence check is too long to be shown")
    }
    let need = PresenceText.need(request)
    if request.atDesktop { try demandInput(for: need, instead: CommandError.atDesktopWithInput) }
    guard !request.prompt.isEmpty || saysCanAsk == false else {
      throw CommandError(
        .promptNeeded,
        "\(need) is needed, but a rule forbids this program to ask",
        hint: "to see the rules: thumblatch rule list"
      )
    }
    // A change that needs the password only is made at a terminal.
    if findTerminal() == nil, request.purpose.allowsDevices {
      try demandInput(for: need)
      if hasAgents, try checkByAgent(request, on: connection) { return }
      if let desktop = findDesktop() { return try check(request, on: connection, at: desktop) }
    }
    let terminal = try terminal(for: need)
    let presence = TerminalPresence(request, at: terminal, interrupt: interrupt)
    do throws(VaultClientError) {
      try presence.run(on: connection)
    } catch {
      throw presence.failure.map(CommandError.init) ?? CommandError(error)
    }
  }

  /// Leads a presence check at the desktop; fails if there is none.
  private func check(
    _ request: PresenceRequest,
    on connection: Connection,
    at desktop: Result<Desktop, DesktopError>
  ) throws(CommandError) {
    let view: DesktopView
    do throws(DesktopError) {
      view = try DesktopView(request, at: try desktop.get(), interrupt: interrupt)
    } catch {
      throw CommandError(error, for: PresenceText.need(request))
    }
    do throws(VaultClientError) {
      try view.pass(request, on: connection)
    } catch {
      throw view.failure.map { CommandError($0, for: PresenceText.need(request)) }
        ?? CommandError(error)
    }
  }

  /// Has an agent lead a presence check; false if none does, and this program can show the prompt.
  private func checkByAgent(
    _ request: PresenceRequest,
    on connection: Connection
  ) throws(CommandError) -> Bool {
    do throws(VaultClientError) {
      try calls.askAtDesktop(request, on: connection)
      return true
    } catch {
      guard case .refused(.noDesktop(let message, let reason)) = error else {
        throw CommandError(error)
      }
      if openDesktop != nil { return false }
      throw CommandError(
        .promptNeeded,
        "\(PresenceText.need(request)) is needed, but there is no terminal, and no desktop: "
          + message,
        hint: CommandError.advice(withoutAgent: reason)
      )
    }
  }
}
