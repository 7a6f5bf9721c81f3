public import Configuration

// Requests for public documents, without credentials.
extension KeySet {
  /// Requests a provider's keys; `nil` if the provider names no key set URL.
  public static func request(for provider: Provider) -> ProviderRequest? {
    provider.endpoint(.jwks).map(ProviderRequest.look)
  }
}

extension ProviderRequest {
  /// Requests a public JSON document.
  public static func look(at url: String) -> ProviderRequest {
    ProviderRequest(method: "GET", url: url, headers: ["Accept: application/json"], body: nil)
  }

  /// Requests a page as a browser would, for the status and the target of a redirect.
  public static func page(at url: String) -> ProviderRequest {
    var request = ProviderRequest(
      method: "GET",
      url: url,
      headers: ["Accept: text/html"],
      body: nil
    )
    request.wantsLocation = true
    return request
  }
}
