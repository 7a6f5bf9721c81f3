import System
import TestSupport
import Testing

/// Claude Code and Codex, as their makers publish them, with the recipes of
/// thumblatch-recipes(7).
@Suite(.serialized)
struct AIToolTests {
  private let person: Person
  private let gateway: AIGateway

  init() throws {
    person = try Person()
    try person.register("work")
    gateway = try AIGateway(as: person)
    let environment = try shell(
      "\(BuiltPrograms.sourceDirectory)/Tests/Providers/environment tools 2>/dev/null"
    )
    // The person may not read the home directory of the user that runs the tests.
    try shell(
      """
      cd \(environment.dropLast())/lib/python3*/site-packages
      mkdir -m 755 \(person.base)/tools
      cp claude_agent_sdk/_bundled/claude codex_cli_bin/bin/codex \(person.base)/tools
      chmod 755 \(person.base)/tools/*
      """
    )
  }

  private static let claude = "CLAUDE CODE"
  private static let codex = "CODEX"
  /// The tool of the MCP server, as the model names it.
  private static let tool = "mcp__work__add"

  /// A script that carries out a recipe, and reaches no server but those of this machine.
  ///
  /// The tool that the recipe starts gets a question along, and ends with its answer.
  private func script(_ title: String) throws -> String {
    let recipe = try ToolRecipe(
      title,
      host: "",
      origin: gateway.url,
      programs: person.programs
    )
    return """
      export PATH=\(person.base)/tools:\(person.programs):$PATH
      export HTTPS_PROXY=http://127.0.0.1:9 HTTP_PROXY=http://127.0.0.1:9 NO_PROXY=127.0.0.1
      export DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1
      claude() { command claude "$@" --allowedTools \(Self.tool) -p hello; }
      codex() { command codex exec --skip-git-repo-check -m m "$@" hello; }
      set -e; cd ~; exec 2>&1 </dev/null
      \(recipe.script)
      """
  }

  private func token() throws -> String {
    String(try person.run("token", "work").succeeded().dropLast())
  }

  @Test(arguments: [(claude, "/v1/messages"), (codex, "/v1/responses")])
  func aToolAndItsServerGetTheVaultsToken(_ tool: String, _ path: String) throws {
    let text = try person.shell(script(tool)).succeeded()
    #expect(text.contains("the gateway answers"), "\(text)")
    let token = try token()
    let end = token.suffix(6)
    let log = try gateway.log()
    #expect(log.contains("200 \(path) \(end)"), "\(log)")
    #expect(log.contains("200 /mcp \(end)"), "\(log)")
    #expect(!text.contains(token))
    // Neither tool stores it.
    #expect(try person.shell("grep -rlsF -e '\(token)' ~/.claude* ~/.codex").text == "")
  }

  @Test(arguments: [claude, codex])
  func anExpiredTokenIsReplacedOnce(_ tool: String) throws {
    let before = try token()
    try person.expireTokens()
    try person.backend.clear()
    #expect(try person.shell(script(tool)).succeeded().contains("the gateway answers"))
    #expect(try person.backend.requests().filter { $0.path == "/auth/refresh" }.count == 1)
    let after = try token()
    #expect(after != before)
    #expect(try !gateway.log().contains { $0.hasSuffix(before.suffix(6)) })
  }

  /// The tool runs its command again after a 401, and the provider no longer has the token either.
  @Test(arguments: [(claude, "/v1/messages"), (codex, "/v1/responses")])
  func aRefusedTokenIsReplacedWhileTheToolTriesAgain(_ tool: String, _ path: String) throws {
    let before = try token()
    try gateway.reject(before)
    try person.backend.fail(.init("/auth/verify", .status(401)))
    let text = try person.shell(script(tool)).text
    #expect(text.contains("the gateway answers"), "\(text)")
    #expect(try token() != before)
    #expect(try gateway.log().contains { $0.hasPrefix("401 \(path)") })
  }

  /// The MCP server accepted the token until the model called one of its tools.
  @Test(arguments: [claude, codex])
  func aTokenThatEndsWhileTheToolRunsIsReplaced(_ tool: String) throws {
    let before = try token()
    try gateway.endTokenAtCall(of: Self.tool)
    try person.backend.fail(.init("/auth/verify", .status(401)))
    let text = try person.shell(script(tool)).succeeded()
    let after = try token()
    #expect(after != before)
    let log = try gateway.log()
    let ended = try #require(log.firstIndex(of: "401 /mcp \(before.suffix(6))"), "\(log)")
    #expect(log[..<ended].contains("200 /mcp \(before.suffix(6))"), "\(log)")
    #expect(log[ended...].contains("200 /mcp \(after.suffix(6))"), "\(log)")
    // The call itself was repeated.
    #expect(text.contains("42") && !text.contains("at_"), "\(text)")
  }

  @Test(arguments: [claude, codex])
  func aPromptIsShownAtTheDesktopWhileTheToolWaits(_ tool: String) throws {
    try person.enrollFinger()
    let enable = try person.terminal("presence", "enable", "work")
    try enable.expect("Touch the fingerprint reader")
    try person.touch()
    try enable.end()
    try person.run("lock").succeeded()
    try person.expireTokens()
    let desk = try Desk(of: person)
    let terminal = try TerminalSession(
      ["/usr/bin/setpriv"] + person.become + ["/bin/sh", "-c", script(tool)],
      environment: person.environment + desk.variables,
      columns: 200
    )
    try desk.sees("work")
    try person.touch()
    try terminal.expect("the gateway answers")
    #expect(try !terminal.end().contains("at_"))
  }

  /// The settings of a project come before those of the person, but not before a file of the
  /// command line.
  @Test(arguments: [claude, codex])
  func aProjectCannotHaveTheTokenSentElsewhere(_ tool: String) throws {
    let other = try AIGateway(as: person, "other")
    let text = try person.shell(
      """
      mkdir -p ~/.claude ~/.codex
      echo '{"env": {"ANTHROPIC_BASE_URL": "\(other.url)"}}' >~/.claude/settings.json
      mkdir -p ~/project/.claude ~/project/.codex
      cp ~/.claude/settings.json ~/project/.claude
      cat >~/project/.codex/config.toml <<'END'
      model_provider = "thumblatch-work"
      [model_providers.thumblatch-work]
      base_url = "\(other.url)/v1"
      [mcp_servers.work]
      url = "\(other.url)/mcp"
      END
      \(script(tool).replacing("cd ~;", with: "cd ~/project;"))
      """
    ).succeeded()
    #expect(text.contains("the gateway answers"), "\(text)")
    #expect(try other.log() == [])
  }

  /// The tool runs with the files of setup, and each of them replaces a file that a person wrote.
  @Test
  func undoPutsThePersonsOwnFilesBack() throws {
    let text = try person.shell(
      """
      export PATH=\(person.base)/tools:\(person.programs):$PATH
      export HTTPS_PROXY=http://127.0.0.1:9 HTTP_PROXY=http://127.0.0.1:9 NO_PROXY=127.0.0.1
      export DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1
      set -e; cd ~; exec 2>&1 </dev/null
      mkdir -p .claude .codex before
      # Without a line end, with a blank after it, and with bytes that are not UTF-8.
      printf '{"model": "own"} ' >.claude/thumblatch-work.settings.json
      printf '# own \\377\\nmodel = "own"' >.codex/thumblatch-work.config.toml
      cp .claude/thumblatch-work.* .codex/thumblatch-work.* before
      thumblatch setup claude-code work --yes --url \(gateway.url)
      claude --settings ~/.claude/thumblatch-work.settings.json -p hello
      thumblatch setup codex work --yes --url \(gateway.url)/v1
      codex exec --skip-git-repo-check -m m -p thumblatch-work hello
      for name in before/*; do if cmp -s $name .c*/${name#before/}; then exit 9; fi; done
      thumblatch setup --undo
      cmp before/thumblatch-work.settings.json .claude/thumblatch-work.settings.json
      cmp before/thumblatch-work.config.toml .codex/thumblatch-work.config.toml
      echo left: $(find .claude .codex -name 'thumblatch-*' | sort)
      """
    ).succeeded()
    #expect(text.matches(of: /the gateway answers/).count >= 2, "\(text)")
    let own = ".claude/thumblatch-work.settings.json .codex/thumblatch-work.config.toml"
    #expect(text.hasSuffix("left: \(own)\n"), "\(text)")
    let end = try token().suffix(6)
    let log = try gateway.log()
    for path in ["/v1/messages", "/v1/responses"] {
      #expect(log.contains("200 \(path) \(end)"), "\(log)")
    }
  }
}
