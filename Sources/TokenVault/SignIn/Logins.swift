public import Configuration
internal import OAuth
internal import Storage
internal import System

/// How a person says yes at the provider's own page.
public enum LoginFlow: Sendable, Equatable {
  /// In a browser that ends up at this URI of the client's.
  case browser(redirect: String)
  /// With a code that is typed in anywhere (RFC 8628).
  case device
}

/// What the person needs for it.
public struct LoginStart: Sendable, Equatable {
  /// Names the login on this connection.
  public let login: String
  /// The page to open; nil for a device login.
  public var url: String?
  /// What to type at `verificationURI`; nil for a browser login.
  public var userCode: String?
  /// Where to type it.
  public var verificationURI: String?
  /// The same page with the code in it, where the provider has one.
  public var verificationURIComplete: String?
  /// How long there is time, in seconds.
  public let expiresIn: Int64
  /// Seconds between two questions of the engine to the provider.
  public var interval: Int64?
}

extension Vault {
  /// Begins a login that a person ends at the provider's own page.
  ///
  /// The account is not made yet: that is for the exchange that may bring its tokens. State, nonce
  /// and the secret of PKCE stay here.
  ///
  /// - Parameters:
  ///   - name: the account, which need not exist.
  ///   - provider: the whole provider; nil: the account's own.
  ///   - flow: how.
  ///   - scope: the scopes to ask for, separated by spaces; nil: those of the provider.
  ///   - exportable: whether the refresh token may be released later; needs the system password.
  ///   - prompt: a check passed by password, for an exportable account.
  ///   - caller: who asks; the login is theirs.
  /// - Returns: the name of the login, and what the person needs.
  /// - Throws: `invalidArgument`, `misconfigured`, `offline`, `providerUnavailable`, `busy`.
  public func beginLogin(
    account name: String,
    provider: Provider?,
    flow: LoginFlow,
    scope: String? = nil,
    exportable: Bool = false,
    prompt: String? = nil,
    caller: Caller
  ) async throws(VaultFailure) -> LoginStart {
    try demandCurrentStore()
    let scopes: ScopeRequest?
    do throws(OAuthError) {
      scopes = try scope.map { text throws(OAuthError) in try ScopeRequest(scope: text) }
    } catch {
      throw .invalidArgument("\(error)")
    }
    let account = try target(of: name)
    let place = try await place(toSignIn: name, provider)
    // Read before anyone is sent to the provider, rather than when the code is there.
    _ = try await keys(of: place)
    let agreed = try await agreeToSignIn(
      name,
      at: place,
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
      return try beginBrowserLogin(account, place, redirect: redirect, scopes, terms, caller)
    case .device: return try await beginDeviceLogin(account, place, scopes, terms, caller)
    }
  }

  /// Gives a login up; what the provider said already is not undone.
  public func cancelLogin(_ name: String, caller: Caller) {
    guard case .unknown = logins.login(name, of: caller.connection, at: clock.boot) else {
      return logins.forget(name)
    }
  }

  // MARK: - Parts

  /// The account of a name as it is now; one of which nothing has come yet is as good as none.
  private func target(of name: String) throws(VaultFailure) -> LoginTarget {
    do throws(VaultFailure) {
      let row = try account(named: name)
      let isNew = row.generation == 0 && row.state == .signedOut
      return LoginTarget(name: row.name, identifier: row.id, isNew: isNew)
    } catch {
      guard case .noSuchAccount = error else { throw error }
      return LoginTarget(name: name, identifier: try random(16), isNew: true)
    }
  }

  /// Writes a login down under a name that nobody can guess.
  func open(_ login: PendingLogin) throws(VaultFailure) -> String {
    let name = hexadecimal(try random(16))
    guard logins.open(name, login, at: clock.boot) else {
      throw .busy("too many logins are under way")
    }
    return name
  }

  /// A login that was found in the book, or why there is none.
  func found(_ entry: LoginBook.Entry) throws(VaultFailure) -> PendingLogin {
    switch entry {
    case .open(let login): return login
    case .over(let login):
      throw .loginRequired(
        account: login.account.name,
        message: "the login was not finished in time: begin it anew"
      )
    case .unknown:
      throw .invalidArgument("there is no such login on this connection: begin it anew")
    }
  }
}
