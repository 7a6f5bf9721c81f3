import System
import TestSupport
import Testing

/// Claude Code with the account of an MCP server, beside that of a gateway.
@Suite(.serialized)
struct MCPToolTests {
  private let person: Person
  private let gateway: AIGateway
  private let server: MCPServer

  init() throws {
    person = try Person()
    try person.register("work")
    gateway = try AIGateway(as: person)
    server = try MCPServer(of: person)
    try person.mcpLogin("--mcp", server.url, account: "tools").succeeded()
    let environment = try shell(
      "\(BuiltPrograms.sourceDirectory)/Tests/Providers/environment tools 2>/dev/null"
    )
    try shell(
      """
      cd \(environment.dropLast())/lib/python3*/site-packages
      mkdir -m 755 \(person.base)/tools
      cp claude_agent_sdk/_bundled/claude \(person.base)/tools
      chmod 755 \(person.base)/tools/claude
      """
    )
  }

  /// Asks Claude Code a question, after a change of the file that names the server.
  private func ask(_ change: String = ":") throws -> Someone.Outcome {
    try person.shell(
      """
      export PATH=\(person.base)/tools:\(person.programs):$PATH
      export HTTPS_PROXY=http://127.0.0.1:9 HTTP_PROXY=http://127.0.0.1:9 NO_PROXY=127.0.0.1
      export DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1
      set -e; cd ~; exec 2>&1 </dev/null
      thumblatch setup claude-code work --yes --url \(gateway.url)
      thumblatch setup claude-code tools --yes --mcp \(server.url)
      \(change)
      claude --settings ~/.claude/thumblatch-work.settings.json \\
        --mcp-config ~/.claude/thumblatch-tools.mcp.json -p hello
      """
    )
  }

  private func token() throws -> String {
    String(try person.run("token", "tools").succeeded().dropLast())
  }

  @Test
  func theToolReachesTheServerWithTheAccountsToken() throws {
    _ = try server.requests()
    #expect(try ask().succeeded().contains("the gateway answers"))
    let token = try token()
    let calls = try server.requests().filter { $0.path == "/mcp" && $0.status == 200 }
    #expect(!calls.isEmpty && calls.allSatisfy { $0.token == String(token.suffix(6)) })
  }

  @Test
  func anotherServerInTheToolsFileGetsNoToken() throws {
    let other = try AIGateway(as: person, "other")
    let file = "~/.claude/thumblatch-tools.mcp.json"
    let text = try ask("sed -i 's|\(server.origin)|\(other.url)|' \(file)").text
    #expect(text.contains("the gateway answers"), "\(text)")
    // The tool then looks for a login of its own. The end of a line is that of the token.
    let log = try other.log()
    #expect(log.contains("401 /mcp ") && log.allSatisfy { $0.hasSuffix(" ") }, "\(log)")
  }
}
