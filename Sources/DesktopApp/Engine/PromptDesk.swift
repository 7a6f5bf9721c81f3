internal import DesktopPrompt
internal import GTK
internal import PresenceTerms
internal import System
internal import TerminalIO
internal import VaultClient
internal import VaultInterface

/// Brings the prompts of checks to the app's screen, from their threads, and shows notices.
struct PromptDesk: Sendable {
  /// Shows a prompt until its steps end.
  let show: @Sendable (PromptLink) -> Void
  /// Begins the sign-in to an account that the person has chosen in a notice.
  let signIn: @Sendable (String) -> Void
  /// Ends the agent's thread with the app; `nil` if the app cannot wait for the thread.
  let end = try? AgentEnd()

  /// Asks at the app's own prompt for calls of the app.
  var asker: PresenceAsker { asker { _ in } }

  /// The same; `note` learns when a prompt opens, and when it ends.
  func asker(telling note: @escaping @Sendable (_ isOpen: Bool) -> Void) -> PresenceAsker {
    PresenceAsker(canAsk: true) { request, connection throws(VaultClientError) in
      note(true)
      defer { note(false) }
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

  /// Makes the app an agent while it runs: it shows notices, and the prompts of the person's other
  /// programs.
  @MainActor
  func serve(_ location: VaultLocation, after pause: RetryPause = RetryPause()) {
    do throws(SystemError) {
      try startThread {
        serveAlways(location)
        end?.hasCome()
      }
      end?.isAwaited = true
    } catch {
      // Without a thread the app is no agent, and another one shows the prompts.
      var next = pause
      let seconds = next.next()
      _ = Delay(seconds: Int(seconds)) { [next] in serve(location, after: next) }
    }
  }

  private func serveAlways(_ location: VaultLocation) {
    // Notifications with an action are closed when the thread ends.
    let notices = DesktopNotices(
      variable: { ThisProcess.environment($0) },
      words: { NoticeWords(translating: $0) }
    )
    var pause = RetryPause()
    while true {
      do throws(VaultClientError) {
        // The engine notes its agents there.
        _ = try location.agentDirectory()
        let connection = try location.connect(interrupt: end?.interrupt)
        // The engine ends the connection after a prompt that was not passed.
        while true { try serveNext(on: connection, notices) { pause.reset() } }
      } catch .interrupted {
        return
      } catch {
        guard pause.wait(interrupt: end?.interrupt) else { return }
      }
    }
  }

  /// Waits for the next prompt or notice, and shows it.
  ///
  /// `answered` is called when the engine has answered.
  private func serveNext(
    on connection: Connection,
    _ notices: DesktopNotices,
    answered: () -> Void
  ) throws(VaultClientError) {
    let number = try connection.send(NextPromptCall(notices: true))
    while true {
      switch try connection.next(input: notices.input) {
      case .input: act(on: notices)
      case .reply(let reply, let of) where of == number:
        let next = try Connection.result(of: reply, to: NextPromptCall.self)
        answered()
        if let notice = next.notice {
          // A notice that cannot be shown is dropped: the app's pages say the same.
          do throws(DesktopError) { try notices.show(notice) } catch {}
          act(on: notices)
        }
        guard let request = next.prompt else { return }
        return try serve(request, on: connection)
      // A reply to a call about an earlier prompt.
      case .reply, .timedOut: continue
      }
    }
  }

  private func act(on notices: DesktopNotices) {
    for account in notices.takeLogins() { signIn(account) }
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
      switch error {
      case .disconnected, .interrupted: throw error
      default: break
      }
      if link.isMissing { throw .disconnected }
      try connection.deny(request.prompt)
    }
  }
}
