import System
import TestSupport
import Testing

/// The recipes of thumblatch-recipes(7) that bring accounts into the vault: logins of MCP servers,
/// logins of other programs, and secrets.
@Suite(.serialized)
struct AccountRecipeTests {
  private let person: Person

  init() throws { person = try Person() }

  /// A recipe as a script, in which each verb of `answers` has more arguments.
  ///
  /// They stand in the place of the person's answer to a question.
  private func script(
    _ title: String,
    host: String = "",
    origin: String? = nil,
    answers: String = "",
    before: String = "",
    then: String = ":"
  ) throws -> String {
    let recipe = try ToolRecipe(title, host: host, origin: origin, programs: person.programs)
    return """
      set -eu; export PATH=\(person.programs):$PATH
      thumblatch() {
        case $1 in \(answers) *) command thumblatch "$@" ;; esac
      }
      cd ~; exec 2>&1
      \(before)
      \(recipe.script)
      \(then)
      """
  }

  @Test
  func anMCPServerHasOneLoginForEachTool() throws {
    let server = try MCPServer(of: person)
    let browser = try person.approvingBrowser()
    try server.demand("admin")
    let script = try script(
      "MCP SERVERS WITH A LOGIN OF THEIR OWN",
      origin: server.origin,
      answers: """
        login) command thumblatch "$@" --browser ;; setup) command thumblatch "$@" --yes ;;
        """,
      before: "export BROWSER=\(browser)",
      then: """
        cat ~/.claude/thumblatch-notes.mcp.json
        thumblatch request notes \(server.url) -H 'Content-Type: application/json' \\
          -H 'Accept: application/json, text/event-stream' \\
          -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
        """
    )
    let text = try person.shell(script).succeeded()
    #expect(text.contains("signed in: notes at notes"), "\(text)")
    #expect(text.contains("headersHelper") && text.contains("\"add\""), "\(text)")
    let scopes = try server.requests().filter { $0.path == "/authorize" }
      .map { $0.parameters["scope"] }
    #expect(scopes == ["tools", "admin tools"])
  }

  @Test
  func theLoginsOfOtherProgramsMove() throws {
    let (wiki, notes) = (try MCPServer(of: person, "wiki"), try MCPServer(of: person, "notes"))
    let (first, second) = (try wiki.signIn(), try notes.signIn())
    let script = try script(
      "MOVE A LOGIN OF ANOTHER PROGRAM",
      answers: "import) command thumblatch \"$@\" --yes ;;",
      before: """
        umask 077; mkdir -p .claude .codex .config/gh
        cat >.claude/.credentials.json <<'END'
        {"mcpOAuth": \(wiki.claudeEntry("wiki", first))}
        END
        cat >.codex/.credentials.json <<'END'
        \(notes.codexFile("notes", second))
        END
        printf 'github.com:\\n    user: ann\\n    oauth_token: gho_1\\n' >.config/gh/hosts.yml
        echo 'https://bob:geheim@git.example.org' >.git-credentials
        """,
      then: """
        echo; cat .claude/.credentials.json .codex/.credentials.json .config/gh/hosts.yml
        wc -c <.git-credentials
        """
    )
    let text = try person.shell(script).succeeded()
    for secret in [first.refresh, second.refresh, first.access, "gho_1", "geheim"] {
      #expect(!text.contains(secret), "\(text)")
    }
    #expect(text.hasSuffix("\n0\n"), "\(text)")
    let accounts = try person.run("account", "list", "--json").succeeded()
    for name in ["wiki", "notes", "github.com", "git.example.org"] {
      #expect(accounts.contains(name), "\(name): \(accounts)")
    }
    for (server, account) in [(wiki, "wiki"), (notes, "notes")] {
      let sent = try server.requests().filter { $0.path == "/token" }.map(\.status)
      // The tool's own sign-in, and the one use of its refresh token.
      #expect(sent == [200, 200])
      #expect(try !person.run("token", account).succeeded().isEmpty)
    }
  }

  /// The person answers at a terminal, and touches the reader for the protected key.
  @Test
  func whatNoLoginBringsIsKeptAndHandedOut() throws {
    try person.enrollFinger()
    let script = try script(
      "KEEP A PASSWORD, A PERSONAL ACCESS TOKEN OR AN API KEY",
      host: "git.example.org",
      before: "echo 'import os; print(os.environ[\"OPENAI_API_KEY\"][::-1])' >app.py",
      then: "command thumblatch host list"
    )
    // The page's date is in the past one day.
    let date = try shell("date -d '+60 days' +%F").dropLast()
    let dated = script.replacing(/20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]/, with: date)
    #expect(dated.contains("--expires \(date)"))
    let terminal = try TerminalSession(
      ["/usr/bin/setpriv"] + person.become + ["/bin/sh", "-c", dated],
      environment: person.environment,
      columns: 200
    )
    try terminal.expect("Secret of forge:")
    try terminal.enter("at_1")
    try terminal.expect("Secret of openai:")
    try terminal.enter("key_1")
    try terminal.expect("Touch the fingerprint reader")
    try person.touch()
    try terminal.expect("1_yek")
    try terminal.expect(#"{"Authorization":"Basic YW5uOmF0XzE="}"#)
    let rest = try terminal.end()
    #expect(rest.contains("forge") && !rest.contains("key_1"), "\(rest)")
  }
}
