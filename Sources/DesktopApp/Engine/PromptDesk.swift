internal import GTK
internal import PresenceTerms
internal import System
internal import TerminalIO
internal import VaultClient
internal import VaultInterface

/// Brings the prompts of checks to the app's screen, from their threads.
struct PromptDesk: Sendable {
  /// Shows a prompt until its steps end.
  let show: @Sendable (PromptLink) -> Void

  /// Asks at the app's own prompt for calls of the app.
  var asker: PresenceAsker {
    PresenceAsker(canAsk: true) { request, connection throws(VaultClientError) in
      try run(PromptLink(request, isOwn: true, on: connection), on: connection)
    }
  }

  private func run(_ link: PromptLink, on connection: Connection) throws(VaultClientError) {
    try showing(link) { () throws(VaultClientError) in
      try PresenceRun(link.request, on: connection, view: link).run()
    }
  }

  /// Opens the vault by a touch of its security key, at a prompt of the app.
  ///
  /// If it throws, the touch may go on: close the connection.
  func openVault(on connection: Connection) throws(VaultClientError) {
    let request = PresenceRequest(
      prompt: "",
      requester: "",
      purpose: .unlock,
      methods: [.key],
      timeout: Int(SecurityKeyText.touchLimit)
    )
    let link = try PromptLink(request, isOwn: true, on: connection)
    try showing(link) { () throws(VaultClientError) in
      try KeyTouch.openVault(on: connection, at: link)
    }
  }

  private func showing(
    _ link: PromptLink,
    _ dialogue: () throws(VaultClientError) -> Void
  ) throws(VaultClientError) {
    show(link)
    defer { link.end() }
    try dialogue()
  }

  /// Shows the prompts of other programs of the person, while the app runs: it is an agent.
  @MainActor
  func serve(_ location: VaultLocation, after pause: RetryPause = RetryPause()) {
    do throws(SystemError) {
      try startThread { serveAlways(location) }
    } catch {
      // Without a thread the app is no agent, and another one shows the prompts.
      var next = pause
      let seconds = next.next()
      _ = Delay(seconds: Int(seconds)) { [next] in serve(location, after: next) }
    }
  }

  private func serveAlways(_ location: VaultLocation) {
    var pause = RetryPause()
    while true {
      do throws(VaultClientError) {
        // The engine notes its agents there.
        _ = try location.agentDirectory()
        let connection = try location.connect()
        // The engine ends the connection after a prompt that was not passed.
        while true { try serveNext(on: connection) { pause.reset() } }
      } catch {
        _ = pause.wait()
      }
    }
  }

  /// Waits for the next prompt, and shows it; `answered` is called when the engine has answered.
  private func serveNext(
    on connection: Connection,
    answered: () -> Void
  ) throws(VaultClientError) {
    let number = try connection.send(NextPromptCall())
    while true {
      guard case .reply(let reply, let of) = try connection.next(), of == number else { continue }
      let next = try Connection.result(of: reply, to: NextPromptCall.self)
      answered()
      guard let request = next.prompt else { return }
      return try serve(request, on: connection)
    }
  }

  private func serve(
    _ request: PresenceRequest,
    on connection: Connection
  ) throws(VaultClientError) {
    // A call to cancel would be the person's denial. At the end of the connection the engine calls
    // another agent, or tells the program that asks.
    guard let link = try? PromptLink(request, isOwn: false, on: connection) else {
      throw .disconnected
    }
    do throws(VaultClientError) {
      try run(link, on: connection)
    } catch {
      if case .disconnected = error { throw error }
      if link.isMissing { throw .disconnected }
      try connection.deny(request.prompt)
    }
  }
}
