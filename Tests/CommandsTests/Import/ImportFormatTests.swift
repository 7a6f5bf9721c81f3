import Configuration
import JSON
import SecretMemory
import Testing

@testable import Commands

/// The files of other programs, also with members that are missing or of other types.
struct ImportFormatTests {
  private func entries(_ source: ImportSource, _ text: String) throws -> [ForeignEntry] {
    let value = try JSONReader.read(Array(text.utf8), ToolLogins.rules)
    return ToolLogins(source: source, document: value).entries
  }

  private func login(_ entry: ForeignEntry?) throws -> ForeignLogin {
    guard case .login(let login)? = entry?.content else {
      throw CommandError(.bug, "no login: \(String(describing: entry?.name))")
    }
    return login
  }

  private func isUnmovable(_ entry: ForeignEntry?) -> Bool {
    if case .unmovable? = entry?.content { true } else { false }
  }

  private func text(_ secret: SharedSecret) -> String {
    unsafe secret.bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  @Test
  func claudeCodeKeepsItsOwnLoginAndThoseOfServers() throws {
    let found = try entries(
      .claude,
      #"""
      {"claudeAiOauth":{"accessToken":"a","refreshToken":"r","expiresAt":1,"scopes":["x"]},
       "mcpOAuth":{
        "git|0a":{"serverName":"git","serverUrl":"https://m.example/mcp","accessToken":"a",
         "refreshToken":"r1","expiresAt":1800000000000,"scope":"read write","clientId":"c1",
         "issuer":"https://id.example","redirectUri":"http://localhost:1/callback"},
        "old|0b":{"serverName":"old","serverUrl":"https://o.example","accessToken":"a","clientId":"c"},
        "odd|0c":{"serverName":7,"refreshToken":"r"},"no|0d":5}}
      """#
    )
    #expect(found.map(\.name) == ["claude", "git", "old", "odd|0c", "no|0d"])
    #expect(found.map(isUnmovable) == [true, false, true, true, true])
    let login = try login(found[1])
    #expect(text(login.refreshToken) == "r1" && login.clientID == "c1")
    #expect(login.server == "https://m.example/mcp" && login.issuer == "https://id.example")
    #expect(login.scopes == ["read", "write"] && login.expiresAt == 1_800_000_000)
    #expect(login.redirect == "http://localhost:1/callback")
  }

  @Test
  func twoServersOfOneNameHaveTheNamesOfTheFile() throws {
    let member =
      #"{"serverName":"git","serverUrl":"https://m.example","refreshToken":"r","clientId":"c"}"#
    let found = try entries(.claude, #"{"mcpOAuth":{"git|1":\#(member),"git|2":\#(member)}}"#)
    #expect(found.map(\.name) == ["git|1", "git|2"])
  }

  @Test
  func codexKeepsItsOwnLoginAKeyAndThoseOfServers() throws {
    let own = try entries(
      .codex,
      #"{"OPENAI_API_KEY":"k","tokens":{"id_token":"i","access_token":"a","refresh_token":"r","account_id":"x"},"last_refresh":"2026-01-01T00:00:00Z"}"#
    )
    #expect(own.map(\.name) == ["codex", "OPENAI_API_KEY"])
    #expect(try login(own[0]).client == .codex && isUnmovable(own[1]))
    let servers = try entries(
      .codex,
      #"{"git|0a":{"server_name":"git","server_url":"https://m.example","issuer":"https://id.example","client_id":"c","access_token":"a","refresh_token":"r","expires_at":1800000000000,"scopes":["s"]}}"#
    )
    let server = try login(servers.first)
    #expect(servers[0].name == "git" && server.clientID == "c" && server.scopes == ["s"])
    #expect(try entries(.codex, #"{"OPENAI_API_KEY":null,"tokens":null}"#).isEmpty)
  }

  @Test
  func geminiKeepsItsOwnLoginAndThoseOfServers() throws {
    let own = try entries(
      .gemini,
      #"{"access_token":"a","refresh_token":"r","scope":"x y","token_type":"Bearer","id_token":"i","expiry_date":1800000000000}"#
    )
    #expect(try login(own.first).client == .gemini && login(own.first).scopes == ["x", "y"])
    guard case .wholeFile = own[0].removal else {
      Issue.record("the file stays")
      return
    }
    let servers = try entries(
      .gemini,
      #"[{"serverName":"git","token":{"accessToken":"a","refreshToken":"r","expiresAt":1,"scope":"s"},"clientId":"c","tokenUrl":"https://id.example/token","mcpServerUrl":"https://m.example"},{"serverName":"x","token":{}},7]"#
    )
    #expect(servers.map(\.name) == ["git", "x", "3"])
    #expect(servers.map(isUnmovable) == [false, true, true])
    #expect(try login(servers.first).tokenEndpoint == "https://id.example/token")
    #expect(try isUnmovable(entries(.gemini, #"{"refresh_token":["r"]}"#).first))
  }

  @Test
  func opencodeKeepsKeysLoginsAndThoseOfServers() throws {
    let found = try entries(
      .opencode,
      #"""
      {"openai":{"type":"oauth","refresh":"r","access":"a","expires":1800000000000},
       "anthropic":{"type":"oauth","refresh":"r","access":"a","expires":1},
       "groq":{"type":"api","key":"k"},
       "git":{"tokens":{"accessToken":"a","refreshToken":"r2","expiresAt":1800000000.625},
        "clientInfo":{"clientId":"c","clientSecret":"s"},"serverUrl":"https://m.example"},
       "new":{"codeVerifier":"v","serverUrl":"https://n.example"}}
      """#
    )
    #expect(found.map(\.name) == ["openai", "anthropic", "groq", "git", "new"])
    #expect(found.map(isUnmovable) == [false, true, true, false, true])
    #expect(try login(found[0]).expiresAt == 1_800_000_000)
    let server = try login(found[3])
    #expect(try text(#require(server.clientSecret)) == "s" && server.expiresAt == 1_800_000_000)
    #expect(server.redirect == "http://127.0.0.1:19876/mcp/oauth/callback")
  }

  /// The time is only shown.
  @Test(arguments: ["1800000000000.5", "1e300", #""soon""#, "null"])
  func aTimeInAnotherFormHidesNoLogin(_ time: String) throws {
    let found = try entries(
      .claude,
      #"{"mcpOAuth":{"git":{"serverUrl":"https://m.example","refreshToken":"r","clientId":"c","expiresAt":\#(time)}}}"#
    )
    #expect(try login(found.first).expiresAt == (time.hasPrefix("18") ? 1_800_000_000 : nil))
  }

  @Test(arguments: ["[]", "7", #""x""#, "{}", "null"])
  func anotherDocumentHasNoEntries(_ text: String) throws {
    for source in [ImportSource.claude, .codex, .opencode] {
      #expect(try entries(source, text).isEmpty)
    }
  }

  @Test
  func ghKeepsATokenForEachHostAndUser() {
    let text = """
      github.com:
          git_protocol: https
          users:
              ann:
                  oauth_token: gho_1
              bob:
                  oauth_token: 'gho_2'
          user: ann
          oauth_token: gho_1
      # a comment
      ghe.example.org:8443:
          user: eve
      """
    let found = GitHubHosts.entries(in: Array(text.utf8))
    #expect(found.map(\.name) == ["ann@github.com", "bob@github.com"])
    guard case .secret(let secret)? = found.last?.content,
      case .bytes(let lines)? = found.first?.removal
    else {
      Issue.record("no token was found")
      return
    }
    #expect(secret.text == "gho_2" && secret.username == "bob" && secret.host.text == "github.com")
    #expect(lines.count == 2)
    #expect(GitHubHosts.entries(in: Array("- a\n: b\n::\n \n\u{0}".utf8)).isEmpty)
  }

  @Test(arguments: [
    ("github.com", "GH_TOKEN"), ("acme.ghe.com", "GH_TOKEN"),
    ("git.example.org:8443", "GH_ENTERPRISE_TOKEN"), ("evilghe.com", "GH_ENTERPRISE_TOKEN"),
  ])
  func ghTakesTheTokenOfAnotherServerFromAnotherVariable(_ host: String, _ name: String) throws {
    let use = ImportSource.gh.use(of: "work", server: nil, host: try TokenHost(host))
    #expect(use == "thumblatch exec work --name \(name) -- gh ...")
  }

  /// A reader of YAML finds another text in these.
  @Test(arguments: ["gho_x # work", ">-", "!!str gho_x", "*token", "\"gho_x", "gho_x: y"])
  func aTokenInAnotherFormIsNotMovable(_ value: String) {
    let text = "github.com:\n    user: ann\n    oauth_token: \(value)\n"
    let found = GitHubHosts.entries(in: Array(text.utf8))
    #expect(found.map(isUnmovable) == [true])
    let user = "github.com:\n    user: ann # work\n    oauth_token: gho_x\n"
    #expect(GitHubHosts.entries(in: Array(user.utf8)).map(isUnmovable) == [true])
    for empty in ["null", "~", ""] {
      #expect(GitHubHosts.entries(in: Array("a.org:\n  oauth_token: \(empty)".utf8)).isEmpty)
    }
  }

  @Test
  func theSameTokenOfTwoUsersIsTwoEntries() {
    let user = "\n      oauth_token: t\n"
    let text = "a.org:\n  users:\n    ann:\(user)    bob:\(user)"
    let found = GitHubHosts.entries(in: Array(text.utf8))
    #expect(found.map(\.name) == ["ann@a.org", "bob@a.org"] && !found[0].isSame(as: found[1]))
    let lines = StoredCredentials.entries(
      in: Array("https://ann:p@a.org\nhttps://bob:p@a.org\nhttps://ann:p@a.org".utf8)
    )
    #expect(lines.map { $0.isSame(as: lines[0]) } == [true, false, true])
  }

  /// Forges take a token as the user name, which would be shown and kept in plain.
  @Test(arguments: [
    "ghp_abc:x-oauth-basic", "abc:x-oauth-basic", "abc:x-access-token", "github_pat_a:x",
    "glpat-a:x",
    "0123456789abcdef0123456789abcdef01234567:x",
  ])
  func aTokenAsUserNameIsNotShown(_ pair: String) {
    let found = StoredCredentials.entries(in: Array("https://\(pair)@github.com".utf8))
    #expect(found.map(\.name) == ["github.com"] && found.map(isUnmovable) == [true])
  }

  @Test
  func gitKeepsAURLALine() {
    let text = """
      https://ann:p%40ss@git.example.org
      not a url
      https://git.example.org
      https://bob:x@git.example.org:8443/
      https://bob:x@git.example.org/app.git
      http://bob:x@git.example.org
      https://bob:%zz@git.example.org
      https://bob:a%00b@git.example.org
      http://eve:y@localhost:3000
      """
    let found = StoredCredentials.entries(in: Array(text.utf8))
    #expect(
      found.map(\.name) == [
        "ann@git.example.org", "bob@git.example.org:8443", "bob@git.example.org",
        "bob@git.example.org", "eve@localhost:3000",
      ]
    )
    #expect(found.map(isUnmovable) == [false, false, true, true, false])
    guard case .secret(let secret)? = found.first?.content else {
      Issue.record("\(found.count) entries")
      return
    }
    #expect(secret.text == "p@ss" && secret.username == "ann")
  }
}
