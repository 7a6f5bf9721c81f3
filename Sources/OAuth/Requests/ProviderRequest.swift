public import SecretMemory

/// One HTTP request to a provider, whole, for someone else to send.
public struct ProviderRequest: Sendable {
  /// `GET` or `POST`.
  public let method: String
  /// The whole URL.
  public let url: String
  /// Lines `Name: value`, in the order in which they are sent.
  ///
  /// One may hold an access token.
  public let headers: [String]
  /// The value of a header `Authorization` that goes with them, where it holds a secret.
  public let credentials: SharedSecret?
  /// The body, which may hold a secret; nil for none.
  public let body: SharedSecret?

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
