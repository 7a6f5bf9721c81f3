internal import Configuration
internal import SecretMemory

/// Makes the OAuth 2.0 requests for a provider with an authorization server; sends nothing.
///
/// The same call always makes the same bytes.
struct AuthorizationServer {
  let provider: Provider
  let settings: OAuthSettings

  /// The grant types.
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
    // Keep a query that the endpoint already has (RFC 6749, section 3.1).
    return endpoint + (endpoint.contains("?") ? "&" : "?") + form.query
  }

  /// Exchanges an authorization code for tokens (RFC 6749, section 4.1.3, and RFC 7636, section
  /// 4.5).
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

  /// Exchanges a refresh token for tokens (RFC 6749, section 6).
  func refresh(_ token: SharedSecret, scope: ScopeRequest?) throws(OAuthError) -> ProviderRequest {
    var form = FormText()
    form.add("grant_type", Grant.refresh)
    form.add("refresh_token", token)
    // Without `scope` the refresh keeps the scopes of the sign-in. With it, scopes can only be
    // dropped, and some providers never give them back.
    if settings.refreshScope != .whole, let scopes = scope?.scopes, !scopes.isEmpty {
      form.add("scope", scopes.joined(separator: " "))
    }
    addTarget(scope, to: &form)
    return try post(.token, form)
  }

  /// Exchanges a name and a password for tokens (RFC 6749, section 4.3), if the provider's file
  /// allows it.
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

  /// Requests a device code (RFC 8628, section 3.1).
  func deviceAuthorization(scope: ScopeRequest?) throws(OAuthError) -> ProviderRequest {
    var form = FormText()
    addScope(scope, to: &form)
    addTarget(scope, to: &form)
    return try post(.deviceAuthorization, form)
  }

  /// Exchanges a device code for tokens after the person agreed (RFC 8628, section 3.4).
  func deviceToken(_ deviceCode: SharedSecret) throws(OAuthError) -> ProviderRequest {
    var form = FormText()
    form.add("grant_type", Grant.device)
    form.add("device_code", deviceCode)
    // A token request names the resource again (RFC 8707, section 2.2).
    for resource in settings.resources { form.add("resource", resource) }
    return try post(.token, form)
  }

  /// Revokes a token and everything issued with it (RFC 7009, section 2.1); `nil` without an
  /// endpoint.
  func revocation(
    accessToken: String?,
    refreshToken: SharedSecret?
  ) throws(OAuthError) -> ProviderRequest? {
    guard provider.endpoint(.revocation) != nil else { return nil }
    var form = FormText()
    // The refresh token ends the whole grant. An access token may end only itself.
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

  /// Asks whether an access token is active (RFC 7662, section 2.1).
  ///
  /// `nil` without an endpoint, and for a client without a secret: the server must not answer that.
  func introspection(accessToken: String) throws(OAuthError) -> ProviderRequest? {
    guard provider.endpoint(.introspection) != nil, settings.clientAuthentication != .none else {
      return nil
    }
    var form = FormText()
    form.add("token", accessToken)
    form.add("token_type_hint", "access_token")
    return try post(.introspection, form)
  }

  /// Requests the facts about the signed-in person (OpenID Connect Core 1.0, section 5.3.1).
  func userinfo(accessToken: String) throws(OAuthError) -> ProviderRequest {
    ProviderRequest(
      method: "GET",
      url: try url(of: .userinfo),
      headers: ["Accept: application/json", try PasswordBackend.authorization(accessToken)],
      body: nil
    )
  }

  // MARK: - Parts

  /// The scopes of a sign-in; those of the provider's file if `request` is `nil`.
  func loginScopes(_ request: ScopeRequest?) -> [String] {
    guard var scopes = request?.scopes, !scopes.isEmpty else { return settings.scopes }
    // Without `openid` there is no ID token, so the person stays unknown (OpenID Connect Core 1.0,
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
      throw OAuthError.notOffered(what: "provider \(provider.name) has no `\(endpoint.key)`")
    }
    return url
  }

  private func post(
    _ endpoint: OAuthEndpoint,
    _ form: FormText
  ) throws(OAuthError) -> ProviderRequest {
    var form = form
    var credentials: SharedSecret?
    let headers = ["Content-Type: application/x-www-form-urlencoded", "Accept: application/json"]
    switch settings.clientAuthentication {
    case .none: form.add("client_id", settings.clientID)
    case .post:
      form.add("client_id", settings.clientID)
      if let secret = settings.clientSecret { form.add(ClientSecret.key, secret.secret) }
    case .basic:
      // Form-encode both before they become the user name and password of HTTP (RFC 6749, section
      // 2.3.1).
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
