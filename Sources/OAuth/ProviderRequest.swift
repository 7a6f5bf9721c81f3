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
  /// The body, which may hold a secret; nil for none.
  public let body: SharedSecret?
}
