internal import Configuration
internal import JSON
internal import LoopbackLogin
internal import SecretMemory
internal import System
internal import VaultClient
internal import VaultInterface

/// A login that a person ends on a page of the provider: by browser, code or paste.
///
/// PKCE verifier and device code stay in the engine. State and nonce are in the address that a
/// browser opens. This type shows addresses, and passes the answer on. Every error here closes the
/// connection, which cancels a login whose answer was not passed on.
struct WebSignIn {
  /// The most time to wait for a browser, in seconds.
  static let browserLimit: Int64 = 300

  let session: Session
  let account: String
  /// The provider; `nil` for the one that the account is bound to.
  let provider: VaultProvider?
  /// The name of the provider.
  let providerName: String
  /// The provider, or the one that the account is bound to.
  let target: VaultProvider

  /// The scopes to ask for, separated by spaces; `nil` for those of the provider.
  let scope: String?

  private var settings: [String: String] { target.settings }

  /// The command that begins this login again.
  ///
  /// After a failed first login the vault does not know the account, and so not its provider.
  private var command: String {
    var words = ["thumblatch", "login", account]
    if session.arguments.has(MCPLogin.server.name) {
      for option in [MCPLogin.server.name, MCPLogin.issuer.name] {
        if let value = session.arguments.value(option) { words += [option, value] }
      }
    } else if let provider {
      words += ["--provider", provider.name]
    }
    if let scope = session.arguments.value("--scope") { words += ["--scope", scope] }
    if session.arguments.has("--exportable") { words.append("--exportable") }
    return ShellText.line(words)
  }

  /// Whether the provider has a page that sends a browser back.
  private var hasPage: Bool {
    settings["authorization_endpoint"] != nil || settings["discovery"] != "off"
  }

  /// The way to sign in: the requested one, else one that is possible here.
  func way(_ asked: SignInWay?) throws(CommandError) -> SignInWay {
    if let asked { return asked }
    guard hasPage else { return .device }
    if Browser.isSeen(session.environment) {
      if Browser.isThere(session.environment) { return .browser }
      _ = session.findTerminal()
      session.output.announce("No browser was found to sign in at \(providerName).")
    }
    return try offersCodes() ? .device : .paste
  }

  func run(_ way: SignInWay, isAsked: Bool) throws(CommandError) -> VaultAccount {
    let question = "a sign-in at \(providerName) (\(way.option))"
    switch way {
    case .browser:
      try session.demandInput(for: question)
      session.findTerminal()
      return try BrowserSignIn(signIn: self, redirect: try redirect()).run()
    case .device:
      try session.demandInput(for: question)
      // Without a terminal, only a caller that asked for a code reads it on standard error.
      if !isAsked { _ = try session.terminal(for: question) }
      session.findTerminal()
      return try device(isAsked: isAsked)
    case .paste:
      let terminal = try session.terminal(for: question)
      return try PasteSignIn(signIn: self, redirect: try redirect(), terminal: terminal).run()
    case .password: throw CommandError(.bug, "a password login needs no page")
    }
  }

  /// Signs in by a code.
  ///
  /// If the provider gives this client no code, and the caller did not ask for one, the person
  /// pastes an address instead.
  private func device(isAsked: Bool) throws(CommandError) -> VaultAccount {
    let refusal: CommandError
    do throws(DeviceSignIn.Failure) {
      return try DeviceSignIn(signIn: self).run()
    } catch {
      switch error {
      case .other(let failure): throw failure
      case .notOffered(let failure): refusal = failure
      }
    }
    guard hasPage else { throw refusal }
    guard !isAsked else {
      throw CommandError(
        refusal.code,
        refusal.message,
        hint: "sign in another way: \(command) --paste",
        reason: refusal.reason
      )
    }
    // The advice about the provider's file does not matter if there is another way.
    let why = refusal.message.prefix { $0 != ";" }
    session.output.announce(
      "Signing in by a code failed at \(providerName) (\(why)). Paste an address instead."
    )
    return try run(.paste, isAsked: false)
  }

  /// Begins the login, after a presence check if the account becomes exportable.
  func begin(_ flow: LoginFlow, redirect: String? = nil) throws(CommandError) -> BeginLoginReply {
    let exportable = session.arguments.has("--exportable") ? true : nil
    return try session.call(within: Session.remoteLimit) { prompt in
      BeginLoginCall(
        account: account,
        provider: provider,
        flow: flow,
        redirect: redirect,
        scope: scope,
        exportable: exportable,
        prompt: prompt
      )
    }
  }

  /// The reason why a login was not finished.
  enum Failure: Error {
    /// The vault did not accept the answer, or the person interrupted the wait.
    case vault(VaultClientError)
    /// The person was not asked, or did not pass the check.
    case other(CommandError)
  }

  /// Finishes a login, with a presence check if it would replace a protected account.
  ///
  /// `body` gets the prompt whose check has passed; `nil` at first.
  func asking<Value>(
    _ body: (Connection, String?) throws(VaultClientError) -> Value
  ) throws(Failure) -> Value {
    do throws(VaultClientError) {
      return try session.calls.run(again: .never, asking: session.asker, body)
    } catch {
      throw session.takeFailure().map { .other($0) } ?? .vault(error)
    }
  }

  /// Finishes a login with the answer from the browser.
  func finish(_ login: String, _ query: SharedSecret) throws(Failure) -> VaultAccount {
    try asking { connection, prompt throws(VaultClientError) in
      try connection.call(
        FinishLoginCall(login: login, query: query, prompt: prompt, ask: session.saysCanAsk),
        within: Session.remoteLimit
      ).account
    }
  }

  /// The end of the login's time, which is at most so many seconds from now.
  func deadline(_ begun: BeginLoginReply, most: Int64) -> BootInstant {
    BootInstant.now.advanced(bySeconds: min(max(Int64(begun.expiresIn), 1), most))
  }

  /// An address from the vault, checked before it is shown, opened or typed.
  func address(_ text: String?) throws(CommandError) -> String {
    guard let text, text.utf8.count <= 8192,
      ["https://", "http://"].contains(where: { text.hasPrefix($0) }),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw CommandError(.unavailable, "\(providerName) gave an address that cannot be opened")
    }
    return text
  }

  /// The error at the end of the login's time.
  ///
  /// - Parameter cause: a likely cause and its remedy.
  /// - Returns: the error with a hint.
  func tooLate(_ cause: String? = nil) -> CommandError {
    let again = "to try again: \(command)"
    return CommandError(
      .loginRequired,
      "the sign-in at \(providerName) took too long; nothing was changed",
      hint: cause.map { "\($0); \(again)" } ?? again
    )
  }

  /// The same error if no browser came back.
  var noRedirect: CommandError { tooLate(RedirectText.afterNoAnswer(settings, of: providerName)) }

  /// The error if the vault refused the browser's answer, or the person interrupted the wait.
  func answered(_ error: VaultClientError) -> CommandError {
    switch error {
    case .interrupted:
      CommandError(
        .interrupted,
        "interrupted; the sign-in at \(providerName) may have succeeded anyway",
        hint: "see whether it did: thumblatch status"
      )
    case .refused(.invalidArgument(let message)):
      CommandError(
        .serverError,
        "the browser's answer was refused: \(message)",
        hint: "to try again: \(command)"
      )
    default: finished(error)
    }
  }

  /// The error if the provider refused.
  func finished(_ error: VaultClientError) -> CommandError {
    switch error {
    case .refused(.loginRequired): tooLate()
    case .refused(.providerRefused(let status, let message, _, _)):
      CommandError(
        .serverError,
        "\(providerName) refused: \(message)",
        hint: message.hasPrefix("invalid_scope")
          ? "to see the scopes that it offers: thumblatch provider test \(providerName)" : nil,
        status: status
      )
    // The answer that came from the browser is used once.
    default: CommandError(error, .never)
    }
  }

  private func redirect() throws(CommandError) -> LoopbackRedirect {
    do throws(ConfigurationError) {
      return try LoopbackRedirect(settings["redirect_uri"] ?? LoopbackRedirect.standard.text)
    } catch {
      throw .usage("redirect_uri of \(providerName): \(error)")
    }
  }

  /// Whether the provider offers codes (RFC 8628).
  private func offersCodes() throws(CommandError) -> Bool {
    if settings["device_authorization_endpoint"] != nil { return true }
    if settings["discovery"] == "off" { return false }
    let written = if let provider { provider } else { try asWritten() }
    let reply = try session.call(within: Session.remoteLimit) { _ in
      TestProviderCall(provider: written)
    }
    return reply.flows.contains("device")
  }

  /// The provider that the account is bound to, without discovered settings.
  private func asWritten() throws(CommandError) -> VaultProvider {
    VaultProvider(try target.bound.asWritten)
  }
}
