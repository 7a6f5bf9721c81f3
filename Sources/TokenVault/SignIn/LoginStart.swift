package import Configuration
internal import OAuth
internal import Storage
internal import System

/// How a person approves a sign-in on the provider's own page.
package enum LoginFlow: Sendable, Equatable {
  /// In a browser, which the provider sends to this URI of the client at the end.
  case browser(redirect: String)
  /// With a code that the person types in on any device (RFC 8628).
  case device
}

/// The values that a client shows to the person or opens for them.
package struct LoginStart: Sendable, Equatable {
  /// The name of the sign-in on this connection.
  package let login: String
  /// The page to open; `nil` for a device sign-in.
  package var url: String?
  /// The code to type in at `verificationURI`; `nil` for a browser sign-in.
  package var userCode: String?
  /// The page on which to type it in; `nil` for a browser sign-in.
  package var verificationURI: String?
  /// The same page with the code included; `nil` if the provider has none.
  package var verificationURIComplete: String?
  /// The time limit, in seconds.
  package let expiresIn: Int64
  /// Seconds between two polls of the provider by the engine; `nil` for a browser sign-in.
  package var interval: Int64?
}

extension Vault {
  /// Begins a sign-in that a person finishes on the provider's own page.
  ///
  /// The account is not made yet: the exchange that may bring its tokens makes it. The engine keeps
  /// the state, the nonce and the PKCE verifier.
  ///
  /// - Parameters:
  ///   - name: the account, which need not exist.
  ///   - provider: the whole provider; `nil` for the account's own.
  ///   - flow: the way in which the person approves.
  ///   - scope: the scopes to ask for, separated by spaces; `nil` for those of the provider.
  ///   - exportable: whether the refresh token may be released later; needs the system password.
  ///   - prompt: a check passed by password, for an exportable account.
  ///   - caller: the caller; only its connection can finish the sign-in.
  /// - Returns: the name of the sign-in, and the values that the person needs.
  /// - Throws: `invalidArgument`, `misconfigured`, `offline`, `providerUnavailable`, `busy`.
  package func beginLogin(
    account name: String,
    provider: Provider?,
    flow: LoginFlow,
    scope: String? = nil,
    exportable: Bool = false,
    prompt: String? = nil,
    caller: Caller
  ) async throws(VaultFailure) -> LoginStart {
    try demandCurrentStore()
    let scopes = try mappingErrors(to: .invalidArgument) {
      try scope.map { try ScopeRequest(scope: $0) }
    }
    let account = try target(of: name)
    let target = try await target(toSignIn: name, provider)
    // Read the keys now, so that a failure comes before the person goes to the provider.
    _ = try await keys(of: target)
    let agreed = try await agreeToSignIn(
      name,
      at: target,
      isGiven: provider != nil,
      email: nil,
      isNewUser: false,
      exportable: exportable,
      prompt,
      caller
    )
    let terms = SignInTerms(exportable: exportable, agreed: agreed)
    switch flow {
    case .browser(let redirect):
      return try beginBrowserLogin(account, target, redirect: redirect, scopes, terms, caller)
    case .device: return try await beginDeviceLogin(account, target, scopes, terms, caller)
    }
  }

  /// Cancels a sign-in.
  ///
  /// This does not undo changes at the provider.
  package func cancelLogin(_ name: String, caller: Caller) {
    guard case .unknown = signIns.pending.login(name, of: caller.connection, at: clock.boot) else {
      return signIns.pending.forget(name)
    }
  }

  // MARK: - Parts

  /// The account with this name as it is now; an account that never had a token counts as new.
  private func target(of name: String) throws(VaultFailure) -> LoginTarget {
    guard let row = try accountIfAny(named: name) else {
      return LoginTarget(name: name, identifier: try random(16), isNew: true)
    }
    let isNew = row.generation == 0 && row.state == .signedOut
    return LoginTarget(name: row.name, identifier: row.id, isNew: isNew)
  }

  /// Adds a sign-in under a name that cannot be guessed.
  func open(_ login: PendingLogin) throws(VaultFailure) -> String {
    let name = Hexadecimal.text(try random(16))
    guard signIns.pending.open(name, login, at: clock.boot) else {
      throw .busy("too many logins are under way")
    }
    return name
  }

  /// The sign-in of a lookup, or an error that says why there is none.
  func found(_ entry: PendingSignIns.Entry) throws(VaultFailure) -> PendingLogin {
    switch entry {
    case .open(let login): return login
    case .over(let login):
      throw .loginRequired(
        account: login.account.name,
        message: "the login was not finished in time: begin it again"
      )
    case .unknown:
      throw .invalidArgument("there is no such login on this connection: begin it again")
    }
  }
}
