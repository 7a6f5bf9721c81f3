internal import Configuration
internal import SecretMemory

/// The requests of OAuth 2.0 to a provider that has an authorization server; sends nothing.
///
/// The same call makes the same bytes, always.
struct AuthorizationServer {
  let provider: Provider
  let settings: OAuthSettings

  /// What is given for tokens.
  private enum Grant {
    static let code = "authorization_code"
    static let refresh = "refresh_token"
    static let password = "password"
    static let device = "urn:ietf:params:oauth:grant-type:device_code"
  }

  /// The URL for the browser (RFC 6749, section 4.1.1, with RFC 7636 and OpenID Connect Core 1.0,
  /// section 3.1.2.1).
  func authorization(
    redirect: String,
    state: String,
    nonce: String,
    challenge: String,
    scope: ScopeRequest?
  ) throws(OAuthError) -> String {
    let endpoint = try url(of: .authorization)
    var form = FormText()
    form.add("response_type", "code")
    form.add("client_id", settings.clientID)
    form.add("redirect_uri", redirect)
    form.add("state", state)
    form.add("code_challenge", challenge)
    form.add("code_challenge_method", "S256")
    if provider.kind == .oidc { form.add("nonce", nonce) }
    addScope(scope, to: &form)
    addTarget(scope, to: &form)
    for parameter in settings.authorizationParameters {
      form.add(parameter.name, parameter.value)
    }
    // A query that the endpoint has already must be kept (RFC 6749, section 3.1).
    return endpoint + (endpoint.contains("?") ? "&" : "?") + form.query
  }

  /// An authorization code for tokens (RFC 6749, section 4.1.3, and RFC 7636, section 4.5).
  func code(
    _ code: SharedSecret,
    redirect: String,
    verifier: SharedSecret
  ) throws(OAuthError) -> ProviderRequest {
    var form = FormText()
    form.add("grant_type", Grant.code)
    form.add("code", code)
    form.add("redirect_uri", redirect)
    form.add("code_verifier", verifier)
    addTarget(nil, to: &form)
    return try post(.token, form)
  }

  /// A refresh token for tokens (RFC 6749, section 6).
  func refresh(_ token: SharedSecret, scope: ScopeRequest?) throws(OAuthError) -> ProviderRequest {
    var form = FormText()
    form.add("grant_type", Grant.refresh)
    form.add("refresh_token", token)
    // Left out, it is what the login asked for; written out, it may only become less, and at some
    // providers never more again.
    if settings.refreshScope != .whole, let scopes = scope?.scopes, !scopes.isEmpty {
      form.add("scope", scopes.joined(separator: " "))
    }
    addTarget(scope, to: &form)
    return try post(.token, form)
  }

  /// Name and password for tokens (RFC 6749, section 4.3), where the provider's file allows it.
  func password(_ password: SharedSecret, of name: String) throws(OAuthError) -> ProviderRequest {
    guard settings.passwordGrant else {
      throw OAuthError.notOffered(
        what: "provider \(provider.name) takes no password from here: sign in with the browser or "
          + "a device code"
      )
    }
    var form = FormText()
    form.add("grant_type", Grant.password)
    form.add("username", name)
    form.add("password", password)
    addScope(nil, to: &form)
    addTarget(nil, to: &form)
    return try post(.token, form)
  }

  /// A device code (RFC 8628, section 3.1).
  func deviceAuthorization(scope: ScopeRequest?) throws(OAuthError) -> ProviderRequest {
    var form = FormText()
    addScope(scope, to: &form)
    addTarget(scope, to: &form)
    return try post(.deviceAuthorization, form)
  }

  /// A device code for tokens, once the person has agreed (RFC 8628, section 3.4).
  func deviceToken(_ deviceCode: SharedSecret) throws(OAuthError) -> ProviderRequest {
    var form = FormText()
    form.add("grant_type", Grant.device)
    form.add("device_code", deviceCode)
    return try post(.token, form)
  }

  /// The end of a token and of what hangs on it (RFC 7009, section 2.1); nil without an endpoint.
  func revocation(
    accessToken: String?,
    refreshToken: SharedSecret?
  ) throws(OAuthError) -> ProviderRequest? {
    guard provider.endpoint(.revocation) != nil else { return nil }
    var form = FormText()
    // With the refresh token the whole grant ends; with an access token perhaps that one alone.
    if let refreshToken {
      form.add("token", refreshToken)
      form.add("token_type_hint", provider.hasOneToken ? "access_token" : "refresh_token")
    } else if let accessToken {
      form.add("token", accessToken)
      form.add("token_type_hint", "access_token")
    } else {
      return nil
    }
    return try post(.revocation, form)
  }

  /// Who is signed in (OpenID Connect Core 1.0, section 5.3.1).
  func userinfo(accessToken: String) throws(OAuthError) -> ProviderRequest {
    ProviderRequest(
      method: "GET",
      url: try url(of: .userinfo),
      headers: ["Accept: application/json", try PasswordBackend.authorization(accessToken)],
      body: nil
    )
  }

  // MARK: - Parts

  /// What a login asks for; `request` nil is what the provider's file says.
  func loginScopes(_ request: ScopeRequest?) -> [String] {
    guard var scopes = request?.scopes, !scopes.isEmpty else { return settings.scopes }
    // Without it there is no ID token, and nobody knows who signs in (OpenID Connect Core 1.0,
    // section 3.1.2.1).
    if provider.kind == .oidc, !scopes.contains("openid") { scopes.append("openid") }
    return scopes
  }

  private func addScope(_ request: ScopeRequest?, to form: inout FormText) {
    let scopes = loginScopes(request)
    if !scopes.isEmpty { form.add("scope", scopes.joined(separator: " ")) }
  }

  private func addTarget(_ request: ScopeRequest?, to form: inout FormText) {
    form.add("audience", request?.audience ?? settings.audience)
    let asked = request?.resources ?? []
    for resource in asked.isEmpty ? settings.resources : asked { form.add("resource", resource) }
  }

  private func url(of endpoint: OAuthEndpoint) throws(OAuthError) -> String {
    guard let url = provider.endpoint(endpoint) else {
      throw OAuthError.notOffered(
        what: "provider \(provider.name) has no `\(endpoint.key)`"
      )
    }
    return url
  }

  private func post(
    _ endpoint: OAuthEndpoint,
    _ form: FormText
  ) throws(OAuthError) -> ProviderRequest {
    var form = form
    var credentials: SharedSecret?
    let headers = [
      "Content-Type: application/x-www-form-urlencoded", "Accept: application/json",
    ]
    switch settings.clientAuthentication {
    case .none: form.add("client_id", settings.clientID)
    case .post:
      form.add("client_id", settings.clientID)
      if let secret = settings.clientSecret { form.add(ClientSecret.key, secret.secret) }
    case .basic:
      // Both are form-encoded before they become the name and password of HTTP (RFC 6749,
      // section 2.3.1).
      if let secret = settings.clientSecret {
        credentials = try FormText.basic(settings.clientID, secret.secret)
      }
    }
    return ProviderRequest(
      method: "POST",
      url: try url(of: endpoint),
      headers: headers,
      credentials: credentials,
      body: try form.body()
    )
  }
}
