internal import Configuration
internal import OAuth
package import SecretMemory
internal import Storage
internal import System

// Authorization code with PKCE (RFC 7636). The browser transports the code, which is useless
// without the verifier that the engine keeps.
extension Vault {
  /// The time limit of a sign-in in a browser, in seconds.
  static let browserSeconds: Int64 = 300

  func beginBrowserLogin(
    _ account: LoginTarget,
    _ provider: Provider,
    redirect: String,
    _ scopes: ScopeRequest?,
    _ terms: SignInTerms,
    _ caller: Caller
  ) throws(VaultFailure) -> LoginStart {
    try demand(redirect, fits: provider)
    let (browser, url) = try mappingErrors(to: .misconfigured()) {
      let browser = BrowserLogin(
        redirect: redirect,
        state: try ProofKey.identifier(),
        nonce: try ProofKey.identifier(),
        verifier: SharedSecret(try ProofKey.verifier())
      )
      let url = try ProviderClient(provider: provider).authorization(
        redirect: redirect,
        state: browser.state,
        nonce: browser.nonce,
        challenge: try ProofKey.challenge(for: browser.verifier.bytes),
        scope: scopes
      )
      return (browser, url)
    }
    let login = try open(
      PendingLogin(
        account: account,
        provider: provider,
        terms: terms,
        scope: scopes?.scopes.joined(separator: " "),
        connection: caller.connection,
        deadline: clock.boot.advanced(bySeconds: Self.browserSeconds),
        flow: .browser(browser)
      )
    )
    return LoginStart(login: login, url: url, expiresIn: Self.browserSeconds)
  }

  /// Refuses a redirect that does not match the provider's `redirect_uri`, because the code goes
  /// there.
  ///
  /// If that setting names no port, any port matches.
  private func demand(_ redirect: String, fits provider: Provider) throws(VaultFailure) {
    guard let wanted = provider.oauth?.redirect else {
      throw .invalidArgument(
        "\(provider.name.text) is a password backend: sign in with e-mail and password"
      )
    }
    let given: LoopbackRedirect
    do throws(ConfigurationError) {
      given = try LoopbackRedirect(redirect)
    } catch {
      throw .invalidArgument("redirect: \(error)")
    }
    guard given.host == wanted.host, given.path == wanted.path,
      wanted.port == nil || given.port == wanted.port
    else { throw .invalidArgument("the redirect is not \(wanted.text), as redirect_uri says") }
  }

  /// Finishes a browser sign-in with the query of its redirect.
  ///
  /// The sign-in is used up whatever the result: a redirect is accepted once. If a person other
  /// than the owner of a protected account signed in, the answer waits for the check of `prompt`.
  ///
  /// - Throws: `providerRefused` if the person or the provider refused, `invalidArgument` if the
  ///   redirect does not belong to this sign-in, and all that `signIn` throws.
  package func finishLogin(
    _ name: String,
    query: SharedSecret,
    prompt: String? = nil,
    caller: Caller
  ) async throws(VaultFailure) -> AccountFacts {
    try demandCurrentStore()
    if let facts = try await finishHeld(prompt, caller) { return facts }
    let login = try found(signIns.pending.login(name, of: caller.connection, at: clock.boot))
    guard case .browser(let browser) = login.flow else {
      throw .invalidArgument("a device login completes by itself: wait for it")
    }
    signIns.pending.forget(name)
    let code = try code(in: query, of: login.provider, browser)
    let request = try mappingErrors(to: .misconfigured()) {
      try ProviderClient(provider: login.provider).code(
        code.bytes,
        redirect: browser.redirect,
        verifier: browser.verifier.bytes
      )
    }
    var pending = SignInIntent(login.provider, email: "", exportable: login.terms.exportable)
    pending.agreed = login.terms.agreed
    pending.flow = .browser
    pending.scope = login.scope
    pending.nonce = browser.nonce
    pending.keys = try await keys(of: login.provider)?.encoded
    let attempt = SignInAttempt(
      purpose: .login,
      provider: login.provider,
      request: request,
      pending: pending,
      sent: code
    )
    let outcome = try await signIn(.begun(login.account), login.provider, attempt, caller)
    return try await facts(of: outcome, caller)
  }

  private func code(
    in query: SharedSecret,
    of provider: Provider,
    _ browser: BrowserLogin
  ) throws(VaultFailure) -> SharedSecret {
    let answer = try mappingErrors(to: .invalidArgument) {
      try RedirectAnswer.parse(query.bytes, state: browser.state, provider: provider)
    }
    switch answer {
    case .code(let code): return code
    case .refused(let error, let message):
      throw .providerRefused(status: 400, message.map { "\(error): \($0)" } ?? error)
    }
  }
}
