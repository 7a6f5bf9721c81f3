import JSON
import System
import TestSupport
import Testing

/// Claude Code and Codex with the account of an MCP server, and that of a gateway.
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
      cp claude_agent_sdk/_bundled/claude codex_cli_bin/bin/codex \(person.base)/tools
      chmod 755 \(person.base)/tools/*
      """
    )
  }

  enum Tool: CaseIterable {
    case claude
    case codex

    /// Makes the tool wait for the server before it asks the model, as Claude Code does.
    var waiting: String {
      switch self {
      case .claude: ":"
      case .codex: "sed -i '/^url/i required = true' ~/.codex/thumblatch-work.config.toml"
      }
    }

    /// Says that the tool's helper has ended with exit 5, without a token.
    var failure: String {
      switch self {
      case .claude: "the gateway answers"
      case .codex: "helper exited with status exit status: 5"
      }
    }
  }

  /// Asks a tool a question, after a change of the file that names the server.
  private func ask(_ tool: Tool, _ change: String = ":") throws -> Someone.Outcome {
    try person.shell(script(tool, change))
  }

  private func script(_ tool: Tool, _ change: String) -> String {
    let script =
      switch tool {
      case .claude:
        """
        thumblatch setup claude-code work --yes --url \(gateway.url)
        thumblatch setup claude-code tools --yes --mcp \(server.url)
        \(change)
        claude --settings ~/.claude/thumblatch-work.settings.json \
          --mcp-config ~/.claude/thumblatch-tools.mcp.json -p hello
        """
      case .codex:
        // Codex reads one profile. A changed one of an earlier script would be kept.
        """
        rm -f ~/.codex/thumblatch-*
        thumblatch setup codex work --yes --url \(gateway.url)/v1
        thumblatch setup codex tools --name work --yes --mcp \(server.url)
        \(change)
        codex exec --skip-git-repo-check -m m -p thumblatch-work hello
        """
      }
    return """
      export PATH=\(person.base)/tools:\(person.programs):$PATH
      export HTTPS_PROXY=http://127.0.0.1:9 HTTP_PROXY=http://127.0.0.1:9 NO_PROXY=127.0.0.1
      export DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1
      set -e; cd ~; exec 2>&1 </dev/null
      \(script)
      """
  }

  private func token() throws -> String {
    String(try person.run("token", "tools").succeeded().dropLast())
  }

  /// The tokens of the calls that the server has answered.
  private func accepted(_ requests: [MCPServer.Request]) -> Set<String?> {
    Set(requests.filter { $0.path == "/mcp" && $0.status == 200 }.map(\.token))
  }

  @Test(arguments: Tool.allCases)
  func aToolReachesTheServerWithTheAccountsToken(_ tool: Tool) throws {
    _ = try server.requests()
    let text = try ask(tool).succeeded()
    let token = try token()
    #expect(text.contains("the gateway answers") && !text.contains(token), "\(text)")
    #expect(try accepted(server.requests()) == [String(token.suffix(6))])
    // Neither tool stores it.
    #expect(try person.shell("grep -rlsF -e '\(token)' ~/.claude* ~/.codex").text == "")
  }

  @Test(arguments: Tool.allCases)
  func anExpiredTokenIsReplacedOnceForItsServer(_ tool: Tool) throws {
    let before = try token()
    try person.expireTokens()
    _ = try server.requests()
    #expect(try ask(tool).succeeded().contains("the gateway answers"))
    let seen = try server.requests()
    let after = try token()
    #expect(after != before && accepted(seen) == [String(after.suffix(6))])
    let refreshes = seen.filter { $0.path == "/token" }
    #expect(refreshes.map { $0.parameters["resource"] } == [server.url])
    #expect(refreshes.map(\.status) == [200])
  }

  /// If the person takes longer than the eight seconds of the helper, the check serves the next
  /// connection.
  @Test(arguments: Tool.allCases)
  func aPromptOutlivesTheHelperOfTheTool(_ tool: Tool) throws {
    let bus = try DesktopBus(logind: true)
    defer { bus.remove() }
    try bus.act("seat_users({\(person.user.user): 'c1'})")
    try person.enrollFinger()
    let enable = try person.terminal("presence", "enable", "tools")
    try enable.expect("Touch the fingerprint reader")
    try person.touch()
    try enable.end()
    try person.expireTokens()
    let desk = try Desk(of: person, bus: bus.address)
    try person.startEngine(asking: bus)
    // Codex keeps the desktop from its helper for headers, so an agent shows the prompt.
    let agent = try person.start(["agent"], variables: desk.variables)
    defer { agent.child.kill() }
    let note = "\(person.user.user).\(agent.child.identifier)."
    try #require(
      eventually {
        let names = try? Directory(path: person.state + "/agents").names()
        return names?.contains { $0.hasPrefix(note) } == true
      }
    )
    _ = try server.requests()

    let run = try Run(
      "/usr/bin/setsid",
      person.running + ["/bin/sh", "-c", script(tool, tool.waiting)],
      environment: person.environment
    )
    let number = try desk.sees("use account 'tools'")
    // The helper stops waiting after eight seconds. The prompt is open for 30 seconds, and the tool
    // may run longer.
    let shown = BootInstant.now
    try #require(eventually { BootInstant.now.seconds(since: shown) >= 9 })
    try person.touch()
    try desk.run("desk.await_signal('NotificationClosed', \(number), 3)")
    let failed = try run.text()
    _ = try run.child.wait()
    #expect(failed.contains(tool.failure), "\(failed)")
    #expect(try accepted(server.requests()).isEmpty)

    #expect(try ask(tool, tool.waiting).succeeded().contains("the gateway answers"))
    #expect(try accepted(server.requests()) == [String(token().suffix(6))])
    let count = try desk.run("len({each['id'] for each in desk.shown} - {0})")
    #expect(count == .integer(1))
  }

  /// Codex does not tell its helper which server gets the token.
  @Test
  func anotherServerInTheToolsFileGetsNoToken() throws {
    let other = try AIGateway(as: person, "other")
    let file = "~/.claude/thumblatch-tools.mcp.json"
    let text = try ask(.claude, "sed -i 's|\(server.origin)|\(other.url)|' \(file)").text
    #expect(text.contains("the gateway answers"), "\(text)")
    // The tool then looks for a login of its own. The end of a line is that of the token.
    let log = try other.log()
    #expect(log.contains("401 /mcp ") && log.allSatisfy { $0.hasSuffix(" ") }, "\(log)")
  }
}
