public import Configuration
internal import PlainText
public import SecretMemory

/// A provider of any kind: makes its requests and judges its answers; sends nothing.
///
/// It is the one face of this room for whoever signs in, refreshes and signs out: what differs
/// between a password backend and an authorization server stays behind it.
public struct ProviderClient: Sendable {
  /// The ways of signing in.
  public enum Flow: String, Sendable, CaseIterable {
    /// Authorization code with PKCE, in the browser.
    case browser
    /// Device code, on another device.
    case device
    /// E-mail and password.
    case password
  }

  /// The most bytes of an authorization code or a device code.
  public static let maximumCode = 8192

  /// The provider, with the endpoints that discovery filled in.
  public let provider: Provider

  /// Speaks for a provider.
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

  /// The ways of signing in that the provider's settings allow; after discovery all that it has.
  public var flows: [Flow] {
    guard let settings = provider.oauth else { return [.password] }
    guard provider.endpoint(.token) != nil else { return [] }
    var flows: [Flow] = []
    if provider.endpoint(.authorization) != nil { flows.append(.browser) }
    if provider.endpoint(.deviceAuthorization) != nil { flows.append(.device) }
    if settings.passwordGrant { flows.append(.password) }
    return flows
  }

  // MARK: - Signing in with e-mail and password

  /// A login with e-mail and password, for the purpose `login`.
  ///
  /// - Throws: `OAuthError.unusable` for what cannot be sent, `notOffered` where the provider's
  ///   settings do not allow it.
  public func login(
    email: String,
    password: borrowing SecretBytes
  ) throws(OAuthError) -> ProviderRequest {
    guard provider.oauth != nil else {
      return try backend.login(email: email, password: password)
    }
    try PasswordBackend.check(email, "name")
    let secret = try PasswordBackend.shared(
      password,
      "password",
      most: PasswordBackend.maximumPassword
    )
    return try server().password(secret, of: email)
  }

  /// A registration, for the purpose `register`; password backends alone have one.
  ///
  /// - Throws: `OAuthError.unusable` for what cannot be sent, `notOffered` elsewhere.
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

  /// The scopes that a login asks for.
  ///
  /// - Parameter request: what is asked for; nil for the provider's own.
  /// - Returns: them; empty where none is named, and at a password backend.
  public func loginScopes(_ request: ScopeRequest?) -> [String] {
    (try? server().loginScopes(request)) ?? []
  }

  // MARK: - Signing in with the browser

  /// The URL that the browser opens.
  ///
  /// - Parameters:
  ///   - redirect: where it comes back to, with the port.
  ///   - state: `ProofKey.identifier()`, which `RedirectAnswer` expects back.
  ///   - nonce: `ProofKey.identifier()`, which the ID token must hold.
  ///   - challenge: `ProofKey.challenge(for:)` of the verifier.
  ///   - scope: what is asked for; nil for the provider's own.
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

  /// An authorization code for tokens, for the purpose `code`.
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

  /// Asks for a device code; the answer goes to `judgeDeviceAuthorization`.
  public func deviceAuthorization(
    scope: ScopeRequest? = nil
  ) throws(OAuthError) -> ProviderRequest {
    try server().deviceAuthorization(scope: scope)
  }

  /// Says what an answer to `deviceAuthorization` means.
  public func judgeDeviceAuthorization(
    status: Int,
    retryAfter: Int?,
    body: borrowing SecretBytes
  ) -> DeviceJudgement {
    judge.judgeDeviceAuthorization(status: status, retryAfter: retryAfter, body: body)
  }

  /// A device code for tokens, for the purpose `device`.
  public func deviceToken(
    _ deviceCode: borrowing SecretBytes
  ) throws(OAuthError) -> ProviderRequest {
    try server().deviceToken(
      PasswordBackend.shared(deviceCode, "device code", most: Self.maximumCode)
    )
  }

  // MARK: - Being signed in

  /// A refresh token for tokens, for the purpose `refresh`.
  ///
  /// - Throws: `OAuthError.notOffered` for a scope request that a password backend has no place for.
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

  /// Asks who is signed in.
  public func profile(accessToken: String) throws(OAuthError) -> ProviderRequest {
    guard provider.oauth != nil else { return try backend.profile(accessToken: accessToken) }
    return try server().userinfo(accessToken: accessToken)
  }

  /// Asks the same elsewhere, where the first place is not there; `nil` if there is no second.
  public func profileFallback(accessToken: String) throws(OAuthError) -> ProviderRequest? {
    guard provider.oauth == nil else { return nil }
    return try backend.profileFallback(accessToken: accessToken)
  }

  /// Ends the grant at the provider; `nil` if the provider has no endpoint for that.
  ///
  /// A password backend takes either token or both. An authorization server gets one: the refresh
  /// token where there is one, since an access token may end alone (RFC 7009, section 2.1).
  public func revocation(
    accessToken: String?,
    refreshToken: SharedSecret?
  ) throws(OAuthError) -> ProviderRequest? {
    guard provider.oauth != nil else {
      return try backend.logout(accessToken: accessToken, refreshToken: refreshToken)
    }
    return try server().revocation(accessToken: accessToken, refreshToken: refreshToken)
  }

  // MARK: - Answers

  /// Says what an answer to a request that can bring tokens means.
  ///
  /// - Parameters:
  ///   - status: the HTTP status.
  ///   - retryAfter: the header Retry-After in seconds, if there was one.
  ///   - body: the body, at most `SecretBytes.maximumCount` bytes.
  ///   - purpose: what had been asked for.
  ///   - sent: the secret that was sent; a message that quotes it is dropped.
  /// - Returns: never tokens that could not be used or stored.
  public func judge(
    status: Int,
    retryAfter: Int?,
    body: borrowing SecretBytes,
    for purpose: TokenPurpose,
    sent: SharedSecret? = nil
  ) -> Judgement {
    judge.judge(status: status, retryAfter: retryAfter, body: body, for: purpose, sent: sent)
  }

  /// Says what an answer to `profile` or `profileFallback` means.
  ///
  /// With a `subject`, facts about anyone else are refused: an access token that was put in place
  /// of another shows there (OpenID Connect Core 1.0, section 5.3.2).
  public func judgeProfile(
    status: Int,
    retryAfter: Int?,
    body: borrowing SecretBytes,
    subject: String? = nil
  ) -> ProfileJudgement {
    let judgement = judge.judgeProfile(status: status, retryAfter: retryAfter, body: body)
    if let subject, provider.kind == .oidc, case .profile(let facts, _) = judgement,
      facts.id?.isByteEqual(to: subject) != true
    {
      return .refused(status: status, message: "the provider answered about someone else")
    }
    return judgement
  }

  /// Says whether a provider confirmed a sign-out.
  public func judgeLogout(status: Int) -> LogoutJudgement {
    judge.judgeLogout(status: status)
  }
}
