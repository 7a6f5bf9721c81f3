/// A request to an API.
public struct AuthRequest: Sendable {
  /// Where to: https, or http on this machine where the provider is on it as well.
  public var url: String
  /// Such as `GET`.
  public var method: String
  /// Further headers; `Authorization` is added.
  public var headers: AuthHeaders
  /// What is sent.
  public var body: [UInt8]?
  /// How long it may take, from the name's resolution to the last byte.
  public var timeout: Duration
  /// The most bytes that the answer may have.
  public var maximumBody: Int

  /// Of these parts.
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
  /// The methods that can be asked for: the others mean something to proxies alone.
  private static let methods: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

  /// The longest timeout, in seconds.
  static let longestTimeout = 600

  /// Refuses what no server would be asked.
  func check() throws(AuthError) {
    guard Self.methods.contains(method) else {
      throw AuthError(
        .invalidArgument,
        "the method is none of \(Self.methods.sorted().joined(separator: ", "))"
      )
    }
    guard method != "HEAD" || body == nil else {
      throw AuthError(.invalidArgument, "HEAD has no body")
    }
    guard timeout > .zero, timeout <= .seconds(Self.longestTimeout) else {
      throw AuthError(
        .invalidArgument,
        "a timeout is longer than nothing and at most \(Self.longestTimeout) s"
      )
    }
    guard (0...64 << 20).contains(maximumBody) else {
      throw AuthError(.invalidArgument, "an answer may have at most 64 MiB")
    }
  }
}

/// What a server answered.
public struct AuthResponse: Sendable, Hashable {
  /// The HTTP status.
  public var status: Int
  /// The header fields: at most 100, and 16 KiB.
  public var headers: AuthHeaders
  /// The media type; nil: none was told.
  public var contentType: String?
  /// Where it redirects to: nobody has gone there, since the token is not for any place.
  public var location: String?
  /// The body.
  public var body: [UInt8]

  /// Of these parts.
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

  /// The same, where the status is a success (2xx).
  ///
  /// - Throws: `http` with the status else.
  public func validated() throws(AuthError) -> AuthResponse {
    guard (200..<300).contains(status) else {
      throw AuthError(.http(status: status), "the server answered with HTTP \(status)")
    }
    return self
  }
}
