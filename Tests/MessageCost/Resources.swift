import ProtectedResources
import SecretMemory

/// The documents of a server that accepts tokens, and of the registration of a client.
enum Resources {
  private static let server = "https://mcp.example.com/a/mcp"
  private static let location = "https://mcp.example.com/.well-known/oauth-protected-resource"
  private static let redirect = "http://127.0.0.1:20000/callback"

  static func measure(_ gauge: Gauge) throws {
    let bodies = try Bodies(sources: ["ProtectedResources"])
    let issuers = #""authorization_servers":["https://id.example.com"]"#
    try bodies.each(#""resource":"\#(server)",\#(issuers)"#, gauge) { name, bytes in
      let body = try SecretBytes(copying: bytes)
      gauge.measure("resource, \(name)", bytes: bytes.count) {
        _ = try? ProtectedResource(body, for: server, at: location)
      }
    }
    let client = #""client_id":"a","redirect_uris":["\#(redirect)"]"#
    try bodies.each(client, gauge) { name, bytes in
      let body = try SecretBytes(copying: bytes)
      for status in [201, 400] {
        gauge.measure("registration \(status), \(name)", bytes: bytes.count) {
          _ = try? ClientRegistration(status: status, body: body, redirect: redirect)
        }
      }
    }
  }
}
