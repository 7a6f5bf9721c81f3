public import Configuration

extension KeySet {
  /// Asks a provider for its keys; `nil` if it names no place for them.
  public static func request(for provider: Provider) -> ProviderRequest? {
    provider.endpoint(.jwks).map(ProviderRequest.look)
  }
}

extension ProviderRequest {
  /// Reads what lies at a URL for everyone.
  public static func look(at url: String) -> ProviderRequest {
    ProviderRequest(method: "GET", url: url, headers: ["Accept: application/json"], body: nil)
  }

  /// Reads a page as a browser without a person would.
  public static func page(at url: String) -> ProviderRequest {
    ProviderRequest(method: "GET", url: url, headers: ["Accept: text/html"], body: nil)
  }
}
