internal import Configuration
internal import ProtectedResources
internal import SecretMemory

extension Fuzzer {
  /// The statements of an MCP server about its tokens.
  ///
  /// The first byte is the text: the header of a challenge, the metadata of the resource, the
  /// answer to a registration.
  static let resources = Fuzzer(
    "resources",
    maximum: ProtectedResource.maximumCount + 2,
    dictionary: "json"
  ) { input in
    switch input.choice([0, 1, 2]) {
    case 0:
      let header = String(decoding: input.bytes(), as: UTF8.self)
      let challenge = BearerChallenge(headers: ["WWW-Authenticate: \(header)"])
      let isPlain = [challenge?.scope, challenge?.error, challenge?.resourceMetadata].allSatisfy {
        $0?.utf8.allSatisfy { (0x20...0x7E).contains($0) } ?? true
      }
      demand(isPlain, "a challenge steers a terminal")
      for url in try ProtectedResource.locations(of: server, challenge: challenge) {
        demand(url.hasPrefix("https://mcp.example.com/"), "a challenge leads to \(url)")
      }
    case 1:
      let root = "https://mcp.example.com/.well-known/oauth-protected-resource"
      let body = try input.secret()
      let resource = try ProtectedResource(body.bytes, for: server, at: root)
      let home = try RequestTarget(resource.resource)
      let isTaken = (try? ProtectedResource(body.bytes, for: server, at: root + "/a/mcp")) != nil
      demand(isTaken != resource.isWider, "a tenant widens a token")
      demand(try RequestTarget(server).isInside(home), "a token is for another resource")
      demand(home.origin == "https://mcp.example.com", "a token is for another origin")
    default:
      let redirect = "http://127.0.0.1:20000/callback"
      let client = try ClientRegistration(
        status: 201,
        body: input.secret().bytes,
        redirect: redirect
      )
      let hasSecret = client.clientSecret != nil
      demand(hasSecret == (client.authentication != .none), "a client without its secret")
    }
  }

  private static let server = "https://mcp.example.com/a/mcp"
}
