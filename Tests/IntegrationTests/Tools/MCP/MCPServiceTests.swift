import System
import TestSupport
import Testing

/// The account of an MCP server in the service: fastmcp, with rotation and an alarm at reuse.
@Suite(.serialized)
struct MCPServiceTests {
  private let bench: ServiceBench
  private let person: Customer
  private let server: MCPServer

  /// A person whose administrator has configured the server, since it is on this machine.
  init() throws {
    bench = try ServiceBench()
    person = try Customer(bench)
    server = try MCPServer(of: person)
    let redirect = "http://127.0.0.1:\(20_000 + person.user.user % 10_000)/callback"
    let client = try server.register(redirect: redirect)
    let shared = """
      [Provider]
      kind = oauth2
      issuer = \(server.origin)/
      client_authentication = none
      resource = \(server.url)
      resource_only = true
      revocation_ends = all-logins
      """
    // The server's metadata is read before the client is known.
    try shell(
      """
      umask 022; cd \(bench.base)/machine/providers.d
      cat >mcp-metadata.conf <<'X'
      \(shared)
      client_id = draft
      redirect_uri = http://127.0.0.1/callback
      X
      cat >mcp.conf <<'X'
      \(shared)
      client_id = \(client)
      redirect_uri = \(redirect)
      scope = tools
      X
      """
    )
    login = ["--mcp", server.url, "--client-id", client, "--redirect-uri", redirect]
    try person.mcpLogin(login).succeeded()
  }

  private let login: [String]

  private func token() throws -> String {
    String(try person.run("token", "work").succeeded().dropLast())
  }

  /// Asks the server for its tools.
  private func ask(_ url: String) throws -> Someone.Outcome {
    try person.run(
      "request",
      "work",
      url,
      "-d",
      #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
      "-H",
      "Content-Type: application/json",
      "-H",
      "Accept: application/json, text/event-stream"
    )
  }

  @Test
  func theServersOwnTokenIsGivenOnlyForIt() throws {
    let token = try token()
    #expect(try ask(server.url).succeeded().contains("\"add\""))
    for verb in [
      ["headers", "work"], ["headers", "work", "--helper"], ["token", "work", "--helper"],
    ] {
      let own = try person.run(verb, variables: ["CLAUDE_CODE_MCP_SERVER_URL=\(server.url)"])
      #expect(try own.succeeded().contains(token))
      let other = try person.run(
        verb,
        variables: ["CLAUDE_CODE_MCP_SERVER_URL=\(server.origin)/other"]
      )
      #expect(other.end == .exited(11) && !other.text.contains(token), "\(other.text)")
    }
    _ = try server.requests()
    let outside = try ask(server.origin + "/other")
    #expect(outside.end == .exited(11), "\(outside.text)")
    #expect(outside.text.contains("only for \(server.url)"), "\(outside.text)")
    #expect(try person.run("token", "work", "--audience", "https://example.org").end == .exited(2))
    #expect(try server.requests().isEmpty)
  }

  @Test
  func clientsAtOnceCauseOneRefreshForTheResource() throws {
    let old = try token()
    try person.expireTokens()
    _ = try server.requests()
    let runs = try (0..<12).map { _ in try person.start(["headers", "work", "--helper"]) }
    let texts = try runs.map { run in
      let text = try run.text()
      #expect(try run.child.wait() == .exited(0), "\(text)")
      return text
    }
    #expect(Set(texts).count == 1 && !texts[0].contains(old))
    let seen = try server.requests().filter { $0.path == "/token" || $0.path == "reuse" }
    #expect(seen.map(\.path) == ["/token"])
    #expect(seen.first?.parameters["resource"] == server.url)
    #expect(try ask(server.url).succeeded().contains("\"add\""))
    // A token that the server refuses is replaced too.
    let last = try token()
    let next = try person.run(["token", "work", "--rejected"], input: last + "\n").succeeded()
    #expect(next.dropLast() != last[...])
  }

  /// Another person of the machine has no account there, and finds none of this one.
  @Test
  func anotherPersonGetsNothingOfIt() throws {
    let token = try token()
    let other = try Customer(bench, isSecond: true)
    for verb in [["token", "work"], ["headers", "work", "--helper"]] {
      let refused = try other.run(verb)
      #expect(refused.end == .exited(9) && !refused.text.contains(token), "\(refused.text)")
    }
  }
}
