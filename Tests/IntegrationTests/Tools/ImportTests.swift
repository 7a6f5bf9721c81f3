import JSON
import System
import TestSupport
import Testing

/// A login that Claude Code keeps for an MCP server moves into the vault: fastmcp rotates refresh
/// tokens, and treats a second use as a theft.
@Suite(.serialized)
struct ImportTests {
  private let person: Someone
  private let server: MCPServer
  private let file: String

  init() throws {
    person = try Someone()
    server = try MCPServer(of: person)
    file = "\(person.home)/.claude/.credentials.json"
  }

  /// Writes the file as Claude Code does.
  private func keep(_ login: MCPServer.Login) throws {
    let text = #"{"mcpOAuth":\#(server.claudeEntry("notes", login)),"other":1}"#
    try person.shell(
      "umask 077; mkdir -p \(person.home)/.claude; cat >\(file) <<'END'\n\(text)\nEND"
    ).succeeded()
  }

  /// Uses a refresh token as its first owner would, and returns the status.
  private func refresh(_ login: MCPServer.Login) throws -> Int64? {
    let form =
      "grant_type=refresh_token&refresh_token=\(login.refresh)&client_id=\(login.client)"
      + "&resource=\(server.url)"
    _ = try server.requests()
    _ = try shell("curl -s -o /dev/null -d '\(form)' \(server.origin)/token")
    return try server.requests().first { $0.path == "/token" }?.status
  }

  private func token() throws -> String {
    String(try person.run("token", "notes").succeeded().dropLast())
  }

  @Test
  func aMovedLoginIsOnlyInTheVault() throws {
    let login = try server.signIn()
    try keep(login)
    _ = try server.requests()
    let moved = try person.run("import", "--from", "claude", "--yes")
    try moved.succeeded()
    let rest = try person.shell("cat \(file)").succeeded()
    #expect(rest.filter { !$0.isWhitespace } == #"{"mcpOAuth":{},"other":1}"#, "\(rest)")
    // One refresh with the tool's client, and the successor is used from then on.
    let refreshes = try server.requests().filter { $0.path == "/token" }
    #expect(refreshes.map(\.status) == [200])
    #expect(refreshes.first?.parameters["client_id"] == login.client)
    let first = try token()
    #expect(first != login.access)
    let newer = try person.run("token", "notes", "--rejected", input: first + "\n").succeeded()
    #expect(newer.dropLast() != first[...])
    #expect(try person.run("status", "notes").succeeded().contains("ready"))
    let audit = try person.run("audit").succeeded()
    #expect(audit.contains("login-imported"), "\(audit)")
    for text in [moved.text, audit] {
      #expect(!text.contains(login.refresh) && !text.contains(login.access))
    }
    let found = try occurrences(of: [login.refresh, login.access], in: person.home)
    #expect(found == [0, 0])
    // The old token is dead. Its second use is the alarm, which ends the whole login.
    #expect(try refresh(login) != 200)
  }

  @Test(arguments: ["gemini", "opencode"])
  func theLoginOfAnotherToolMovesAsWell(_ tool: String) throws {
    let login = try server.signIn()
    let (path, text) =
      switch tool {
      case "gemini":
        (
          ".gemini/mcp-oauth-tokens.json",
          #"""
          [{"serverName":"notes","token":{"accessToken":"\#(login.access)",
          "refreshToken":"\#(login.refresh)","expiresAt":1800000000000,"scope":"tools"},
          "clientId":"\#(login.client)","tokenUrl":"\#(server.origin)/token",
          "mcpServerUrl":"\#(server.url)"}]
          """#
        )
      default:
        (
          ".local/share/opencode/mcp-auth.json",
          #"""
          {"notes":{"tokens":{"accessToken":"\#(login.access)",
          "refreshToken":"\#(login.refresh)","expiresAt":1800000000},
          "clientInfo":{"clientId":"\#(login.client)"},"serverUrl":"\#(server.url)"}}
          """#
        )
      }
    try person.shell(
      "umask 077; cd; mkdir -p $(dirname \(path)); cat >\(path) <<'END'\n\(text)\nEND"
    ).succeeded()
    _ = try server.requests()
    let terminal = try person.terminal("import", "--from", tool)
    try terminal.expect("[y/N]")
    try terminal.enter("y")
    let shown = try terminal.end()
    #expect(!shown.contains(login.refresh) && !shown.contains(login.access), "\(shown)")
    let refreshes = try server.requests().filter { $0.path == "/token" }
    #expect(refreshes.map(\.status) == [200], "\(shown)")
    #expect(try token() != login.access)
    #expect(try occurrences(of: [login.refresh, login.access], in: person.home) == [0, 0])
    #expect(try refresh(login) != 200)
  }

  /// Git gives what another helper got to all its helpers.
  ///
  /// Debian's git does not know refresh tokens, so that the test gives this one in its place.
  @Test
  func aRefreshTokenOfAnotherHelperOfGitStaysOnlyInTheVault() throws {
    let login = try server.signIn()
    let host = "protocol=http\nhost=\(server.origin.dropFirst("http://".count))\n"
    try person.shell(
      """
      umask 077; mkdir -p ~/.config/thumblatch/providers.d
      cat >~/.config/thumblatch/providers.d/forge.conf <<'END'
      [Provider]
      kind = oauth2
      issuer = \(server.origin)/
      client_id = \(login.client)
      client_authentication = none
      redirect_uri = http://127.0.0.1:8400/callback
      scope = tools
      resource = \(server.url)
      END
      git config --global credential.oauthClientId \(login.client)
      """
    ).succeeded()
    _ = try server.requests()
    let stored = try person.run(
      "git-credential",
      "store",
      input: host + "username=oauth2\npassword=\(login.access)\n"
        + "oauth_refresh_token=\(login.refresh)\n\n"
    )
    #expect(try stored.succeeded().contains("gets tokens of forge from now on"), "\(stored)")
    let refreshes = try server.requests().filter { $0.path == "/token" }
    #expect(refreshes.map(\.status) == [200])
    #expect(refreshes.first?.parameters["client_id"] == login.client)
    let given = try person.run("git-credential", "get", input: host + "\n").succeeded()
    let token = try person.run("token", "forge").succeeded()
    #expect(given.contains("password=\(token)") && token.dropLast() != login.access[...])
    for text in [stored.text, given] { #expect(!text.contains(login.refresh)) }
    #expect(try occurrences(of: [login.refresh, login.access], in: person.home) == [0, 0])
    #expect(try refresh(login) != 200)
  }

  /// The client was killed before it removed the entry: the same command finishes the move.
  @Test
  func aRepeatedImportSendsTheTokenOnce() throws {
    let login = try server.signIn()
    try keep(login)
    try person.run("import", "--from", "claude", "--yes", "--keep").succeeded()
    _ = try server.requests()
    try person.run("import", "--from", "claude", "--yes").succeeded()
    #expect(try !server.requests().contains { $0.path == "/token" })
    #expect(try !person.shell("cat \(file)").succeeded().contains(login.refresh))
    let old = try token()
    let newer = try person.run("token", "notes", "--rejected", input: old + "\n").succeeded()
    #expect(newer.dropLast() != old[...])
  }

  @Test
  func aRefusedLoginStaysWhereItIs() throws {
    let login = try server.signIn()
    try keep(login)
    // The tool has used the token, and its file was restored from a backup.
    #expect(try refresh(login) == 200)
    let refused = try person.run("import", "--from", "claude", "--yes")
    #expect(refused.end == .exited(8), "\(refused.text)")
    #expect(!refused.text.contains(login.refresh))
    #expect(try person.shell("cat \(file)").succeeded().contains(login.refresh))
    #expect(try person.run("status", "notes").end == .exited(9))
    #expect(try person.run("provider", "show", "notes").end == .exited(9))
  }
}
