public import Configuration
public import SecretMemory

/// A provider of any kind: makes requests and judges answers; sends nothing.
///
/// Callers that sign in, refresh and sign out use only this type. It hides the difference between a
/// password backend and an authorization server.
public struct ProviderClient: Sendable {
  /// The ways to sign in.
  public enum Flow: String, Sendable, CaseIterable {
    /// An authorization code with PKCE, in the browser.
    case browser
    /// A device code, on another device.
    case device
    /// E-mail and password.
    case password
  }

  /// The most bytes of an authorization code or a device code.
  public static let maximumCode = 8192

  /// The provider, with the endpoints that discovery filled in.
  public let provider: Provider

  /// Makes a client for a provider.
  public init(provider: Provider) {
    self.provider = provider
  }

  private var backend: PasswordBackend { PasswordBackend(provider: provider) }
  private var judge: TokenJudge { TokenJudge(provider: provider) }

  private func server() throws(OAuthError) -> AuthorizationServer {
    guard let settings = provider.oauth else {
      throw OAuthError.notOffered(
        what: "provider \(provider.name) is a password backend: sign in with e-mail and password"
      )
    }
    return AuthorizationServer(provider: provider, settings: settings)
  }

  /// The ways to sign in that the provider's settings allow; complete only after discovery.
  public var flows: [Flow] {
    guard let settings = provider.oauth else {
      return provider.kind == .passwordBackend ? [.password] : []
    }
    guard provider.endpoint(.token) != nil else { return [] }
    var flows: [Flow] = []
    if provider.endpoint(.authorization) != nil { flows.append(.browser) }
    if provider.endpoint(.deviceAuthorization) != nil { flows.append(.device) }
    if settings.passwordGrant { flows.append(.password) }
    return flows
  }

  // MARK: - Signing in with e-mail and password

  /// Signs in with e-mail and password, for the purpose `login`.
  ///
  /// - Throws: `OAuthError.unusable` for a value that cannot be sent, `notOffered` if the
  ///   provider's settings do not allow it.
  public func login(
    email: String,
    password: borrowing SecretBytes
  ) throws(OAuthError) -> ProviderRequest {
    guard provider.oauth != nil else { return try backend.login(email: email, password: password) }
    try PasswordBackend.check(email, "name")
    let secret = try PasswordBackend.shared(
      password,
      "password",
      most: PasswordBackend.maximumPassword
    )
    return try server().password(secret, of: email)
  }

  /// Registers a person, for the purpose `register`; only password backends have this.
  ///
  /// - Throws: `OAuthError.unusable` for a value that cannot be sent, `notOffered` for other
  ///   providers.
  public func register(
    email: String,
    name: String?,
    password: borrowing SecretBytes
  ) throws(OAuthError) -> ProviderRequest {
    guard provider.oauth == nil else {
      throw OAuthError.notOffered(
        what: "provider \(provider.name) registers people on its own pages"
      )
    }
    return try backend.register(email: email, name: name, password: password)
  }

  /// The scopes that a sign-in requests.
  ///
  /// - Parameter request: the requested scopes; `nil` for the provider's own.
  /// - Returns: the scopes; empty if none are named, and for a password backend.
  public func loginScopes(_ request: ScopeRequest?) -> [String] {
    (try? server().loginScopes(request)) ?? []
  }

  // MARK: - Signing in with the browser

  /// The URL that the browser opens.
  ///
  /// - Parameters:
  ///   - redirect: the redirect URI, with the port.
  ///   - state: from `ProofKey.identifier()`; `RedirectAnswer` expects it in the redirect.
  ///   - nonce: from `ProofKey.identifier()`; the ID token must hold it.
  ///   - challenge: from `ProofKey.challenge(for:)` of the verifier.
  ///   - scope: the requested scopes; `nil` for the provider's own.
  /// - Throws: `OAuthError.notOffered` without an endpoint.
  /// - Returns: the URL.
  public func authorization(
    redirect: String,
    state: String,
    nonce: String,
    challenge: String,
    scope: ScopeRequest? = nil
  ) throws(OAuthError) -> String {
    try server().authorization(
      redirect: redirect,
      state: state,
      nonce: nonce,
      challenge: challenge,
      scope: scope
    )
  }

  /// Exchanges an authorization code for tokens, for the purpose `code`.
  public func code(
    _ code: borrowing SecretBytes,
    redirect: String,
    verifier: borrowing SecretBytes
  ) throws(OAuthError) -> ProviderRequest {
    try server().code(
      PasswordBackend.shared(code, "authorization code", most: Self.maximumCode),
      redirect: redirect,
      verifier: PasswordBackend.shared(verifier, "code verifier", most: 128)
    )
  }

  // MARK: - Signing in on another device

  /// Requests a device code; `judgeDeviceAuthorization` judges the answer.
  public func deviceAuthorization(
    scope: ScopeRequest? = nil
  ) throws(OAuthError) -> ProviderRequest {
    try server().deviceAuthorization(scope: scope)
  }

  /// Judges an answer to `deviceAuthorization`.
  public func judgeDeviceAuthorization(
    status: Int,
    retryAfter: Int?,
    body: borrowing SecretBytes
  ) -> DeviceJudgement {
    judge.judgeDeviceAuthorization(status: status, retryAfter: retryAfter, body: body)
  }

  /// Exchanges a device code for tokens, for the purpose `device`.
  public func deviceToken(
    _ deviceCode: borrowing SecretBytes
  ) throws(OAuthError) -> ProviderRequest {
    try server().deviceToken(
      PasswordBackend.shared(deviceCode, "device code", most: Self.maximumCode)
    )
  }

  // MARK: - After the sign-in

  /// Exchanges a refresh token for tokens, for the purpose `refresh`.
  ///
  /// - Throws: `OAuthError.notOffered` for a scope request to a password backend, which has no
  ///   scopes.
  public func refresh(
    _ refreshToken: borrowing SecretBytes,
    scope: ScopeRequest? = nil
  ) throws(OAuthError) -> ProviderRequest {
    guard provider.oauth != nil else {
      guard scope == nil || scope == .standard else {
        throw OAuthError.notOffered(
          what: "provider \(provider.name) is a password backend and knows no scopes"
        )
      }
      return try backend.refresh(refreshToken)
    }
    return try server().refresh(
      PasswordBackend.shared(
        refreshToken,
        "refresh token",
        most: PasswordBackend.maximumRefreshToken
      ),
      scope: scope
    )
  }

  /// Requests the facts about the signed-in person.
  public func profile(accessToken: String) throws(OAuthError) -> ProviderRequest {
    guard provider.oauth != nil else { return try backend.profile(accessToken: accessToken) }
    return try server().userinfo(accessToken: accessToken)
  }

  /// Requests the same at the second location, if the first does not exist; `nil` if there is no
  /// second.
  public func profileFallback(accessToken: String) throws(OAuthError) -> ProviderRequest? {
    guard provider.oauth == nil else { return nil }
    return try backend.profileFallback(accessToken: accessToken)
  }

  /// Revokes the grant at the provider; `nil` if the provider has no endpoint for that.
  ///
  /// A password backend takes either token or both. An authorization server gets the refresh token
  /// if there is one, since an access token may end only itself (RFC 7009, section 2.1).
  public func revocation(
    accessToken: String?,
    refreshToken: SharedSecret?
  ) throws(OAuthError) -> ProviderRequest? {
    guard provider.oauth != nil else {
      return try backend.logout(accessToken: accessToken, refreshToken: refreshToken)
    }
    return try server().revocation(accessToken: accessToken, refreshToken: refreshToken)
  }

  /// Asks the provider whether an access token is active; `nil` if this client cannot ask.
  public func introspection(accessToken: String) throws(OAuthError) -> ProviderRequest? {
    guard provider.oauth != nil else { return nil }
    return try server().introspection(accessToken: accessToken)
  }

  // MARK: - Answers

  /// Judges an answer to a request that can return tokens.
  ///
  /// - Parameters:
  ///   - status: the HTTP status.
  ///   - retryAfter: the header Retry-After in seconds, if there was one.
  ///   - body: the body, at most `SecretBytes.maximumCount` bytes.
  ///   - purpose: the purpose of the request.
  ///   - sent: the secret that was sent; a message that quotes it is dropped.
  /// - Returns: the meaning; never tokens that could not be used or stored.
  public func judge(
    status: Int,
    retryAfter: Int?,
    body: borrowing SecretBytes,
    for purpose: TokenPurpose,
    sent: SharedSecret? = nil
  ) -> Judgement {
    judge.judge(status: status, retryAfter: retryAfter, body: body, for: purpose, sent: sent)
  }

  /// Judges an answer to `profile` or `profileFallback`.
  ///
  /// With a `subject`, facts about another person are refused.
  public func judgeProfile(
    status: Int,
    retryAfter: Int?,
    body: borrowing SecretBytes,
    subject: String? = nil
  ) -> ProfileJudgement {
    let answer = Answer(body, secretMembers: judge.secretMembers)
    return judge.judgeProfile(
      status: status,
      retryAfter: retryAfter,
      answer: answer,
      subject: subject
    )
  }

  /// Judges whether a provider confirmed a sign-out.
  ///
  /// `sent` is the refresh token that was sent; an error code that quotes it is not shown.
  public func judgeLogout(
    status: Int,
    body: borrowing SecretBytes,
    sent: SharedSecret? = nil
  ) -> LogoutJudgement {
    judge.judgeLogout(status: status, body: body, sent: sent)
  }
}
