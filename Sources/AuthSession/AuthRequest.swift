/// A request to an API.
public struct AuthRequest: Sendable {
  /// Where to: https, or http on this machine where the provider is on it as well.
  public var url: String
  /// Such as `GET`.
  public var method: String
  /// Further headers; `Authorization` is added.
  public var headers: [(name: String, value: String)]
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
    headers: [(name: String, value: String)] = [],
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

/// What a server answered.
public struct AuthResponse: Sendable, Hashable {
  /// The HTTP status.
  public var status: Int
  /// The media type; nil: none was told.
  public var contentType: String?
  /// The body.
  public var body: [UInt8]

  /// Of these parts.
  public init(status: Int, contentType: String? = nil, body: [UInt8] = []) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }
}
