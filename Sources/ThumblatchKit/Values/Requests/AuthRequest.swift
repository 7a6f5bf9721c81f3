internal import Configuration
internal import VaultClient

/// A request to an API.
public struct AuthRequest: Sendable {
  /// The URL: https, or http on this machine if the provider is also on it.
  public var url: String
  /// The HTTP method, such as `GET`.
  public var method: String
  /// The header fields.
  ///
  /// `Authorization` is added to them.
  public var headers: AuthHeaders
  /// The body, if the request has one: at most 64 MiB.
  public var body: [UInt8]?
  /// How long the request may take, from the name resolution to the last byte.
  public var timeout: Duration
  /// The greatest length of the answer's body, in bytes: at most 64 MiB.
  ///
  /// A larger answer is the error `undecodable`.
  public var maximumBody: Int

  /// Makes a request.
  public init(
    _ url: String,
    method: String = "GET",
    headers: AuthHeaders = [:],
    body: [UInt8]? = nil,
    timeout: Duration = .seconds(60),
    maximumBody: Int = 16 << 20
  ) {
    self.url = url
    self.method = method
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.maximumBody = maximumBody
  }
}

extension AuthRequest {
  /// The allowed methods.
  ///
  /// The others have a meaning only for proxies.
  private static let methods: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

  /// The longest timeout, in seconds.
  static let longestTimeout = 600

  /// The most bytes of a body that the exchange helper sends or receives.
  static let longestBody = 64 << 20

  /// Refuses a request that no server should get.
  func check() throws(AuthError) {
    guard Self.methods.contains(method) else {
      throw AuthError(
        .invalidArgument,
        "the method must be one of \(Self.methods.sorted().joined(separator: ", "))"
      )
    }
    guard method != "HEAD" || body == nil else {
      throw AuthError(.invalidArgument, "HEAD has no body")
    }
    guard timeout > .zero, timeout <= .seconds(Self.longestTimeout) else {
      throw AuthError(
        .invalidArgument,
        "a timeout must be more than 0 s and at most \(Self.longestTimeout) s"
      )
    }
    guard (body?.count ?? 0) <= Self.longestBody else {
      throw AuthError(.invalidArgument, "the body of a request may have at most 64 MiB")
    }
    guard (0...Self.longestBody).contains(maximumBody) else {
      throw AuthError(.invalidArgument, "an answer may have at most 64 MiB")
    }
    _ = (try target(), try headerLines())
  }

  /// The destination of the request.
  func target() throws(AuthError) -> RequestTarget {
    do throws(ConfigurationError) { return try RequestTarget(url) } catch {
      throw AuthError(.invalidURL, "the URL must begin with https:// and name a host", cause: error)
    }
  }

  /// The lines of the header to send, without the token.
  func headerLines() throws(AuthError) -> [String] {
    do throws(RequestHeaderError) {
      return try RequestHeaders.checked(
        headers.map { "\($0.name): \($0.value)" },
        hasBody: body != nil
      )
    } catch {
      throw AuthError(.invalidArgument, "\(error)")
    }
  }
}

/// The answer of a server.
public struct AuthResponse: Sendable, Hashable {
  /// The HTTP status.
  public var status: Int
  /// The header fields: at most 100 fields, and 16 KiB.
  public var headers: AuthHeaders
  /// The media type; `nil` if the server named none.
  public var contentType: String?
  /// The target of a redirect.
  ///
  /// The client does not follow it, because the token is not for every host.
  public var location: String?
  /// The body.
  public var body: [UInt8]

  /// Makes an answer.
  public init(
    status: Int,
    headers: AuthHeaders = [:],
    contentType: String? = nil,
    location: String? = nil,
    body: [UInt8] = []
  ) {
    self.status = status
    self.headers = headers
    self.contentType = contentType ?? headers["Content-Type"]
    self.location = location
    self.body = body
  }

  /// Returns this answer if its status is a success (2xx).
  ///
  /// - Throws: `http` with the status if it is not.
  public func validated() throws(AuthError) -> AuthResponse {
    guard (200..<300).contains(status) else {
      throw AuthError(.http(status: status), "the server answered with HTTP \(status)")
    }
    return self
  }
}
