public import Configuration
internal import JSON
public import SecretMemory

/// The JSON API for e-mail and password: makes requests; sends nothing.
///
/// The same call always makes the same bytes: members keep the documented order, and the account's
/// protection does not appear in them.
public struct PasswordBackend: Sendable {
  /// The most bytes of a refresh token.
  public static let maximumRefreshToken = 16 * 1024
  /// The most bytes of an access token.
  public static let maximumAccessToken = 32 * 1024
  /// The most bytes of a password.
  public static let maximumPassword = 4096
  /// The most bytes of an e-mail address or a name.
  static let maximumText = 320

  /// The provider with the paths and field names in use.
  public let provider: Provider

  /// Makes a client for a provider of the kind `passwordBackend`.
  public init(provider: Provider) {
    self.provider = provider
  }

  /// `POST /auth/register` with e-mail, password and, if there is one, name.
  ///
  /// - Throws: `OAuthError.unusable` for a value that cannot be sent.
  public func register(
    email: String,
    name: String?,
    password: borrowing SecretBytes
  ) throws(OAuthError) -> ProviderRequest {
    try Self.check(email, "e-mail address")
    if let name { try Self.check(name, "name") }
    let secret = try Self.shared(password, "password", most: Self.maximumPassword)
    var members: [(Provider.Field, JSONValue)] = [
      (.email, .string(email)), (.registerPassword, .secret(secret)),
      (.registerPasswordRepeated, .secret(secret)),
    ]
    if let name { members.append((.name, .string(name))) }
    return try post(.register, members)
  }

  /// `POST /auth/login` with e-mail and password.
  ///
  /// - Throws: `OAuthError.unusable` for a value that cannot be sent.
  public func login(
    email: String,
    password: borrowing SecretBytes
  ) throws(OAuthError) -> ProviderRequest {
    try Self.check(email, "e-mail address")
    let secret = try Self.shared(password, "password", most: Self.maximumPassword)
    return try post(.login, [(.email, .string(email)), (.password, .secret(secret))])
  }

  /// `POST /auth/refresh` with only the refresh token.
  ///
  /// A one-token backend also gets it as the bearer token, because some read it only there.
  ///
  /// - Throws: `OAuthError.unusable` for a value that cannot be sent.
  public func refresh(_ refreshToken: borrowing SecretBytes) throws(OAuthError) -> ProviderRequest {
    let secret = try Self.shared(refreshToken, "refresh token", most: Self.maximumRefreshToken)
    return try post(
      .refresh,
      [(.refreshToken, .secret(secret))],
      credentials: provider.hasOneToken ? try Self.bearer(secret) : nil
    )
  }

  /// `GET /auth/me`.
  public func profile(accessToken: String) throws(OAuthError) -> ProviderRequest {
    try get(.profile, accessToken)
  }

  /// `GET /user/profile`, for backends without `/auth/me`.
  public func profileFallback(accessToken: String) throws(OAuthError) -> ProviderRequest {
    try get(.profileFallback, accessToken)
  }

  /// `GET /auth/verify`.
  public func verify(accessToken: String) throws(OAuthError) -> ProviderRequest {
    try get(.verify, accessToken)
  }

  /// `POST /auth/logout`, with the refresh token in the body if there is one.
  ///
  /// - Throws: `OAuthError.unusable` for a value that cannot be sent.
  public func logout(
    accessToken: String?,
    refreshToken: SharedSecret?
  ) throws(OAuthError) -> ProviderRequest {
    var authorization: [String] = []
    if let accessToken { authorization = [try Self.authorization(accessToken)] }
    guard let refreshToken else {
      return ProviderRequest(
        method: "POST",
        url: provider.url(of: .logout),
        headers: ["Accept: application/json"] + authorization,
        body: nil
      )
    }
    let secret = try Self.shared(
      refreshToken.bytes,
      "refresh token",
      most: Self.maximumRefreshToken
    )
    return try post(
      .logout,
      [(.refreshToken, .secret(secret))],
      headers: authorization,
      credentials: provider.hasOneToken && accessToken == nil ? try Self.bearer(secret) : nil
    )
  }

  private func get(
    _ endpoint: Provider.Endpoint,
    _ accessToken: String
  ) throws(OAuthError) -> ProviderRequest {
    ProviderRequest(
      method: "GET",
      url: provider.url(of: endpoint),
      headers: ["Accept: application/json", try Self.authorization(accessToken)],
      body: nil
    )
  }

  private func post(
    _ endpoint: Provider.Endpoint,
    _ members: [(Provider.Field, JSONValue)],
    headers: [String] = [],
    credentials: SharedSecret? = nil
  ) throws(OAuthError) -> ProviderRequest {
    let object = JSONObject(
      members.compactMap { field, value in
        provider.name(of: field).map { ($0, value) }
      }
    )
    let body: SecretBytes
    do throws(JSONError) {
      body = try JSONWriter.writeSecret(.object(object))
    } catch {
      throw OAuthError.json(error)
    }
    return ProviderRequest(
      method: "POST",
      url: provider.url(of: endpoint),
      headers: ["Content-Type: application/json", "Accept: application/json"] + headers,
      credentials: credentials,
      body: SharedSecret(body)
    )
  }

  /// The header of RFC 6750, section 2.1.
  ///
  /// A line break in the token would inject more headers.
  static func authorization(_ accessToken: String) throws(OAuthError) -> String {
    guard (1...maximumAccessToken).contains(accessToken.utf8.count),
      accessToken.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw OAuthError.unusable(what: "access token", rule: "printable ASCII without spaces")
    }
    return "Authorization: Bearer \(accessToken)"
  }

  /// The value of that header for the one token, kept in locked memory.
  private static func bearer(_ token: SharedSecret) throws(OAuthError) -> SharedSecret {
    let scheme = Array("Bearer ".utf8)
    let count = scheme.count + token.bytes.count
    do throws(SecretMemoryError) {
      return SharedSecret(
        unsafe try SecretBytes(capacity: count) { room in
          unsafe room.copyBytes(from: scheme)
          unsafe token.bytes.withUnsafeBytes { bytes in
            unsafe UnsafeMutableRawBufferPointer(rebasing: room[scheme.count...])
              .copyMemory(from: bytes)
          }
          return count
        }
      )
    } catch {
      throw OAuthError.memory(error)
    }
  }

  static func check(_ text: String, _ what: String) throws(OAuthError) {
    guard (1...maximumText).contains(text.utf8.count),
      text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
    else {
      throw OAuthError.unusable(
        what: what,
        rule: "1 to \(maximumText) bytes without control characters"
      )
    }
  }

  static func shared(
    _ secret: borrowing SecretBytes,
    _ what: String,
    most: Int
  ) throws(OAuthError) -> SharedSecret {
    guard (1...most).contains(secret.count) else {
      throw OAuthError.unusable(what: what, rule: "1 to \(most) bytes")
    }
    do throws(SecretMemoryError) {
      return SharedSecret(try secret.copy())
    } catch {
      throw OAuthError.memory(error)
    }
  }
}
