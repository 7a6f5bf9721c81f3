import JSON
import System
import TestSupport
import Testing

/// One login for an MCP server: fastmcp, with an authorization server that rotates refresh tokens
/// and treats a second use as a theft.
@Suite(.serialized)
struct MCPLoginTests {
  private let person: Someone
  private let server: MCPServer

  init() throws {
    person = try Someone()
    server = try MCPServer(of: person)
  }

  private func token() throws -> String {
    String(try person.run("token", "work").succeeded().dropLast())
  }

  private static let ping = #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#

  /// Asks the server for its tools.
  private func ask(_ url: String? = nil) throws -> Someone.Outcome {
    try person.run(
      "request",
      "work",
      url ?? server.url,
      "-d",
      Self.ping,
      "-H",
      "Content-Type: application/json",
      "-H",
      "Accept: application/json, text/event-stream"
    )
  }

  @Test
  func aLoginFollowsTheDocumentsOfTheServer() throws {
    let text = try person.mcpLogin("--mcp", server.url).succeeded()
    #expect(text.contains("signed in: work at work"), "\(text)")
    let seen = try server.requests()
    #expect(seen.filter { $0.path == "/register" }.map(\.status) == [201])
    let asked = try #require(seen.first { $0.path == "/authorize" }?.parameters)
    #expect(asked["resource"] == server.url && asked["scope"] == "tools")
    #expect(asked["code_challenge_method"] == "S256" && asked["state"]?.isEmpty == false)
    let redeemed = try #require(seen.first { $0.path == "/token" }?.parameters)
    #expect(redeemed["resource"] == server.url && redeemed["client_id"] == asked["client_id"])
    #expect(redeemed["redirect_uri"] == asked["redirect_uri"])
    #expect(redeemed["client_secret"] == nil)
    let answer = try ask()
    #expect(try answer.succeeded().contains("\"add\""), "\(answer.text)")
    // A refresh names the resource too.
    let old = try token()
    let new = try person.run("token", "work", "--rejected", input: old + "\n").succeeded()
    #expect(new.dropLast() != old[...])
    let refreshed = try server.requests().first { $0.path == "/token" }
    #expect(refreshed?.parameters["resource"] == server.url && refreshed?.status == 200)
    // The account is one like any other.
    #expect(try person.run("provider", "show", "work").succeeded().contains("resource_only"))
    #expect(try person.run("provider", "test", "work").succeeded().contains("/authorize"))
    // A second login keeps the client and its redirect URI.
    try person.mcpLogin("--mcp", server.url).succeeded()
    let again = try server.requests()
    #expect(!again.contains { $0.path == "/register" })
    let later = again.first { $0.path == "/authorize" }?.parameters
    #expect(later?["client_id"] == asked["client_id"])
    #expect(later?["redirect_uri"] == asked["redirect_uri"])
    #expect(try ask().succeeded().contains("\"add\""))
  }

  @Test
  func theTokenGoesToItsServerOnly() throws {
    try person.mcpLogin("--mcp", server.url).succeeded()
    let token = try token()
    _ = try server.requests()
    let outside = [
      server.origin + "/", server.origin + "/mcpx", server.url + "/../token",
      server.url + "/%2e%2e/token", "https://example.org/mcp",
      server.url.replacing("127.0.0.1", with: "localhost"),
    ]
    for url in outside {
      let refused = try ask(url)
      #expect(
        refused.end == .exited(11) && refused.text.contains("only for \(server.url)"),
        "\(url)"
      )
    }
    #expect(try server.requests().isEmpty)
    // The server that a tool names: in `token` the front leaves the comparison to the program.
    for verb in ["token", "headers", "env"] {
      let other = "CLAUDE_CODE_MCP_SERVER_URL=\(server.origin)/other"
      let refused = try person.run([verb, "work"], variables: [other])
      #expect(refused.end == .exited(11) && !refused.text.contains(token), "\(refused.text)")
      let own = "CLAUDE_CODE_MCP_SERVER_URL=\(server.url)"
      #expect(try person.run([verb, "work"], variables: [own]).succeeded().contains(token))
    }
    let audience = try person.run("token", "work", "--audience", "https://example.org")
    #expect(audience.end == .exited(2), "\(audience.text)")
  }

  @Test
  func twentyClientsAtOnceCauseOneRefresh() throws {
    try person.mcpLogin("--mcp", server.url).succeeded()
    let old = try token()
    try person.expireTokens()
    _ = try server.requests()
    let runs = try (0..<20).map { _ in try person.start(["headers", "work", "--helper"]) }
    let texts = try runs.map { run in
      let text = try run.text()
      #expect(try run.child.wait() == .exited(0), "\(text)")
      return text
    }
    #expect(Set(texts).count == 1 && !texts[0].contains(old))
    let seen = try server.requests().filter { $0.path == "/token" || $0.path == "reuse" }
    #expect(seen.map(\.path) == ["/token"])
    #expect(try ask().succeeded().contains("\"add\""))
  }

  @Test
  func scopesGrowByWhatTheServerAsksFor() throws {
    try person.mcpLogin("--mcp", server.url).succeeded()
    try server.demand("admin")
    let refused = try ask()
    #expect(refused.end == .exited(8), "\(refused.text)")
    #expect(refused.text.contains("thumblatch login work --scope 'admin'"), "\(refused.text)")
    _ = try server.requests()
    try person.mcpLogin("--scope", "admin").succeeded()
    #expect(try ask().succeeded().contains("\"add\""))
    // A later login keeps them.
    try person.mcpLogin().succeeded()
    let asked = try server.requests().filter { $0.path == "/authorize" }
    #expect(asked.map { $0.parameters["scope"] } == ["admin tools", "admin tools"])
    #expect(try ask().succeeded().contains("\"add\""))
  }

  private static let metadata = "/.well-known/oauth-authorization-server"
  private static let resource = "/.well-known/oauth-protected-resource/mcp"

  /// The answer of a hostile or broken server, the exit status, and a part of the error.
  private static let faults: [(String, Int32, String)] = [
    (#"{"\#(metadata)": {"edit": {"issuer": "https://evil.example/"}}}"#, 2, "evil.example"),
    (#"{"\#(metadata)": {"edit": {"code_challenge_methods_supported": null}}}"#, 2, "S256"),
    (#"{"\#(metadata)": {"edit": {"code_challenge_methods_supported": ["plain"]}}}"#, 2, "S256"),
    (#"{"\#(metadata)": {"status": 200, "size": 70000}}"#, 5, "is too large"),
    (#"{"\#(metadata)": {"edit": {"registration_endpoint": null}}}"#, 2, "--client-id"),
    (#"{"\#(metadata)": {"edit": {"authorization_endpoint": "javascript:1"}}}"#, 2, ""),
    (#"{"\#(resource)": {"edit": {"resource": "https://evil.example/mcp"}}}"#, 8, "evil.example"),
    (#"{"\#(resource)": {"edit": {"resource": "http://127.0.0.1:9/mcp"}}}"#, 8, "127.0.0.1:9"),
    (#"{"\#(resource)": {"edit": {"resource": "ORIGIN/"}}}"#, 8, "not for the requested server"),
    (#"{"\#(resource)": {"edit": {"authorization_servers": []}}}"#, 8, "no authorization server"),
    (#"{"\#(resource)": {"edit": {"authorization_servers": ["ftp://x"]}}}"#, 8, "issuer"),
    (#"{"\#(resource)": {"edit": {"authorization_servers": 7}}}"#, 8, "authorization_servers"),
    (#"{"\#(resource)": {"status": 200, "size": 70000}}"#, 8, "more than 64 KiB"),
    (#"{"\#(resource)": {"status": 200, "body": "[1]"}}"#, 8, "not a JSON object"),
    (#"{"\#(resource)": {"status": 503}}"#, 5, "HTTP 503"),
    (
      #"{"/mcp": {"status": 307, "headers": {"location": "http://evil.example/"}}}"#, 8, "redirects"
    ),
    (
      #"""
      {"/mcp": {"status": 401, "headers":
        {"www-authenticate": "Bearer resource_metadata=\"http://localhost:9/x\""}}}
      """#, 8, "another origin"
    ),
    (
      #"{"/register": {"status": 400, "body": "{\"error\": \"access_denied\"}"}}"#, 8,
      "access_denied"
    ),
    (#"{"/register": {"status": 201, "body": "{}"}}"#, 8, "client_id"),
    (
      #"{"/register": {"edit": {"redirect_uris": ["http://127.0.0.1:1/"]}}}"#, 8, "redirect URIs"
    ),
  ]

  @Test
  func aServerThatIsNotTrustedIsNamedAndNoBrowserIsSentThere() throws {
    for (fault, exit, part) in Self.faults {
      try server.fail(fault.replacing("ORIGIN", with: server.origin))
      let refused = try person.mcpLogin("--mcp", server.url)
      #expect(refused.end == .exited(exit), "\(fault): \(refused.text)")
      #expect(refused.text.contains(part), "\(fault): \(refused.text)")
      #expect(try !server.requests().contains { $0.path == "/authorize" }, "\(fault)")
    }
    #expect(try person.run("provider", "show", "work").end == .exited(9))
    try server.fail("{}")
    try person.mcpLogin("--mcp", server.url).succeeded()
  }

  @Test
  func theIssuerOfTheAnswerCountsBeforeItsError() throws {
    try server.fail(
      #"{"/authorize": {"query": {"iss": "https://evil.example/", "error": "access_denied", "code": null}}}"#
    )
    let mixed = try person.mcpLogin("--mcp", server.url)
    #expect(mixed.end != .exited(0) && !mixed.text.contains("access_denied"), "\(mixed.text)")
    try server.fail(#"{"/authorize": {"query": {"error": "access_denied", "code": null}}}"#)
    let denied = try person.mcpLogin("--mcp", server.url)
    #expect(denied.end == .exited(8) && denied.text.contains("access_denied"), "\(denied.text)")
    #expect(try person.run("provider", "show", "work").end == .exited(9))
    #expect(try !server.requests().contains { $0.path == "/token" })
  }

  @Test
  func aSecretThatTheServerGivesIsUsedAndNeverShown() throws {
    try server.fail(
      #"{"/register": {"edit": {"token_endpoint_auth_method": "client_secret_post", "#
        + #""client_secret": "dcr-secret-1"}}}"#
    )
    let text = try person.mcpLogin("--mcp", server.url).text
    let sent = try server.requests().first { $0.path == "/token" }?.parameters
    #expect(sent?["client_secret"] == "cret-1")
    let shown = try person.run("provider", "show", "work").succeeded()
    #expect(!(text + shown).contains("dcr-secret"), "\(text)")
  }

  /// draft-ietf-oauth-client-id-metadata-document: the ID of the client is the URL of its document.
  @Test
  func aServerFindsTheClientByItsMetadataDocument() throws {
    let client = "https://app.example.com/client.json"
    func offer(_ isOffered: Bool?) throws {
      let value = isOffered.map { "\($0)" } ?? "null"
      try server.fail(
        #"{"\#(Self.metadata)": {"edit": {"client_id_metadata_document_supported": \#(value)}}}"#
      )
    }
    try server.describe(client: client)
    for isOffered in [nil, false] as [Bool?] {
      try offer(isOffered)
      let refused = try person.mcpLogin("--mcp", server.url, "--client-metadata", client)
      #expect(refused.end == .exited(2), "\(refused.text)")
      #expect(refused.text.contains("takes no client metadata document"), "\(refused.text)")
    }
    try offer(true)
    _ = try server.requests()
    try person.mcpLogin("--mcp", server.url, "--client-metadata", client).succeeded()
    let seen = try server.requests()
    #expect(!seen.contains { $0.path == "/register" })
    for path in ["/authorize", "/token"] {
      #expect(seen.first { $0.path == path }?.parameters["client_id"] == client, "\(path)")
    }
    #expect(try ask().succeeded().contains("\"add\""))
    let old = try token()
    let new = try person.run("token", "work", "--rejected", input: old + "\n").succeeded()
    let refreshed = try server.requests().first { $0.path == "/token" }
    #expect(new.dropLast() != old[...] && refreshed?.parameters["client_id"] == client)
  }
}
