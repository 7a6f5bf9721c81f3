internal import Configuration
internal import JSON
internal import LoopbackLogin
internal import SecretMemory
internal import System
internal import VaultClient
internal import VaultInterface

/// A login that a person ends on a page of the provider: by browser, code or paste.
///
/// PKCE verifier and device code stay in the engine; state and nonce stand in the address that a
/// browser opens. What is here shows addresses, and carries the answer. Closing the connection, which
/// every error here leads to, gives a login up whose answer has not been handed over.
struct WebSignIn {
  /// How long a browser is waited for, in seconds.
  static let browserLimit: Int64 = 300

  let session: Session
  let account: String
  /// Where; nil: where the account is.
  let provider: VaultProvider?
  /// The name of the provider.
  let place: String
  /// The provider, or the one that the account is bound to.
  let target: VaultProvider

  private var settings: [String: String] { target.settings }

  /// Whether the provider has a page that sends a browser back.
  private var hasPage: Bool {
    settings["authorization_endpoint"] != nil || settings["discovery"] != "off"
  }

  /// The way that is taken: what is asked for, else what suits where this runs.
  func way(_ asked: SignInWay?) throws(CommandError) -> SignInWay {
    if let asked { return asked }
    guard hasPage else { return .device }
    if Browser.isSeen(session.environment) {
      if Browser.isThere(session.environment) { return .browser }
      _ = session.findTerminal()
      session.output.announce("No browser is found here to sign in at \(place) with.")
    }
    return try offersCodes() ? .device : .paste
  }

  /// Signs in.
  func run(_ way: SignInWay, isAsked: Bool) throws(CommandError) -> VaultAccount {
    let question = "a sign-in at \(place) (\(way.option))"
    switch way {
    case .browser:
      try session.demandInput(for: question)
      session.findTerminal()
      return try BrowserSignIn(signIn: self, redirect: try redirect()).run()
    case .device:
      try session.demandInput(for: question)
      // Without a terminal somebody must have asked for it, and reads standard error.
      if !isAsked { _ = try session.terminal(for: question) }
      session.findTerminal()
      return try device(isAsked: isAsked)
    case .paste:
      let terminal = try session.terminal(for: question)
      return try PasteSignIn(signIn: self, redirect: try redirect(), terminal: terminal).run()
    case .password: throw CommandError(.bug, "a password needs no page")
    }
  }

  /// Signs in by a code; by an address that is pasted where the provider gives this client none,
  /// whatever its metadata says, and nobody has asked for a code.
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
        hint: "sign in another way: thumblatch login \(account) --paste",
        reason: refusal.reason
      )
    }
    // What to check in the provider's file does not matter where there is another way.
    let why = refusal.message.prefix { $0 != ";" }
    session.output.announce(
      "There is no code from \(place) (\(why)). An address is pasted here instead."
    )
    return try run(.paste, isAsked: false)
  }

  /// Begins the login, after a presence check where the account is to be exportable.
  func begin(
    _ flow: LoginFlow,
    redirect: String? = nil
  ) throws(CommandError) -> BeginLoginReply {
    let exportable = session.arguments.has("--exportable") ? true : nil
    return try session.call(within: Session.remoteLimit) { prompt in
      BeginLoginCall(
        account: account,
        provider: provider,
        flow: flow,
        redirect: redirect,
        scope: session.arguments.value("--scope"),
        exportable: exportable,
        prompt: prompt
      )
    }
  }

  /// Why a login was not finished.
  enum Failure: Error {
    /// The vault did not take the answer, or was not waited for.
    case vault(VaultClientError)
    /// The person was not asked, or did not pass the check.
    case other(CommandError)
  }

  /// Finishes a login, with a presence check where it would replace a protected account.
  ///
  /// `body` gets the prompt whose check has passed, or nil at first.
  func asking<Value>(
    _ body: (Connection, String?) throws(VaultClientError) -> Value
  ) throws(Failure) -> Value {
    do throws(VaultClientError) {
      return try session.calls.run(again: .never, asking: session.asker, body)
    } catch {
      throw session.takeFailure().map { .other($0) } ?? .vault(error)
    }
  }

  /// Finishes a login with what came from the browser.
  func finish(_ login: String, _ query: SharedSecret) throws(Failure) -> VaultAccount {
    try asking { connection, prompt throws(VaultClientError) in
      try connection.call(
        FinishLoginCall(login: login, query: query, prompt: prompt, ask: session.canAsk),
        within: Session.remoteLimit
      ).account
    }
  }

  /// When the login is over, at the latest so many seconds from now.
  func deadline(_ begun: BeginLoginReply, most: Int64) -> BootInstant {
    BootInstant.now.advanced(bySeconds: min(max(Int64(begun.expiresIn), 1), most))
  }

  /// An address that the vault gave, fit to be shown, opened and typed.
  func address(_ text: String?) throws(CommandError) -> String {
    guard let text, text.utf8.count <= 8192,
      ["https://", "http://"].contains(where: { text.hasPrefix($0) }),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw CommandError(.unavailable, "\(place) gave an address that none can open") }
    return text
  }

  /// What is said when the time is over.
  ///
  /// - Parameter cause: what may have kept the answer away, and what helps.
  /// - Returns: an error with a hint.
  func tooLate(_ cause: String? = nil) -> CommandError {
    let again = "to try again: thumblatch login \(account)"
    return CommandError(
      .loginRequired,
      "nobody signed in at \(place) in time; nothing was changed",
      hint: cause.map { "\($0); \(again)" } ?? again
    )
  }

  /// The same, if no browser has come back.
  var noRedirect: CommandError { tooLate(RedirectText.afterNoAnswer(settings, of: place)) }

  /// What is said where the vault did not take what came from the browser, or was not waited for.
  func answered(_ error: VaultClientError) -> CommandError {
    switch error {
    case .interrupted:
      CommandError(
        .interrupted,
        "interrupted; the sign-in at \(place) may have happened all the same",
        hint: "see whether it did: thumblatch status"
      )
    case .refused(.invalidArgument(let message)):
      CommandError(
        .serverError,
        "what came from the browser is not the answer to this login: \(message)",
        hint: "begin anew: thumblatch login \(account)"
      )
    default: finished(error)
    }
  }

  /// What is said where the provider's answer is no.
  func finished(_ error: VaultClientError) -> CommandError {
    switch error {
    case .refused(.loginRequired): tooLate()
    case .refused(.providerRefused(let status, let message, _)):
      CommandError(
        .serverError,
        "\(place) refused: \(message)",
        hint: message.hasPrefix("invalid_scope")
          ? "the scopes that it offers: thumblatch provider test \(place)" : nil,
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
      throw CommandError(.usage, "redirect_uri of \(place): \(error)")
    }
  }

  /// Whether the provider gives out codes (RFC 8628).
  private func offersCodes() throws(CommandError) -> Bool {
    if settings["device_authorization_endpoint"] != nil { return true }
    if settings["discovery"] == "off" { return false }
    let written = if let provider { provider } else { try asWritten() }
    let reply = try session.call(within: Session.remoteLimit) { _ in
      TestProviderCall(provider: written)
    }
    return reply.flows.contains("device")
  }

  /// The provider that the account is bound to, without what discovery filled in.
  private func asWritten() throws(CommandError) -> VaultProvider {
    VaultProvider(try target.bound.asWritten)
  }
}
