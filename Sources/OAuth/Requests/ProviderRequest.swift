public import SecretMemory

/// One complete HTTP request to a provider, for the caller to send.
public struct ProviderRequest: Sendable {
  /// `GET` or `POST`.
  public let method: String
  /// The whole URL.
  public let url: String
  /// Lines `Name: value`, in sending order.
  ///
  /// A line may hold an access token.
  public let headers: [String]
  /// The value of an additional header `Authorization` that holds a secret.
  public let credentials: SharedSecret?
  /// The body, which may hold a secret; `nil` without a body.
  public let body: SharedSecret?
  /// Whether the target of a redirect is wanted instead of the answer's body.
  public var wantsLocation = false

  init(
    method: String,
    url: String,
    headers: [String],
    credentials: SharedSecret? = nil,
    body: SharedSecret?
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.credentials = credentials
    self.body = body
  }
}
