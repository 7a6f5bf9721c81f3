import JSON
import System
import TestSupport
import Testing

/// A login that Claude Code keeps for an MCP server moves into the vault: fastmcp rotates refresh tokens,
/// and takes a second use for a theft.
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

  /// A login as a tool makes one: a registered client, a code, and its tokens.
  private struct Login {
    let client: String
    let access: String
    let refresh: String
  }

  private func signIn() throws -> Login {
    let program = """
      import base64, hashlib, json, sys, urllib.error, urllib.parse, urllib.request
      origin, back = sys.argv[1], "http://127.0.0.1:1/callback"
      class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_): return None
      opener = urllib.request.build_opener(Stay)
      def ask(path, data=None, kind=None):
        request = urllib.request.Request(origin + path, data, {"Content-Type": kind} if kind else {})
        try: answer = opener.open(request)
        except urllib.error.HTTPError as error: answer = error
        return answer.headers, answer.read()
      client = json.loads(ask("/register", json.dumps({
        "redirect_uris": [back], "token_endpoint_auth_method": "none", "scope": "tools",
        "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
      }).encode(), "application/json")[1])["client_id"]
      verifier = "v" * 43
      digest = hashlib.sha256(verifier.encode()).digest()
      query = urllib.parse.urlencode({
        "response_type": "code", "client_id": client, "redirect_uri": back, "state": "s",
        "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
        "code_challenge_method": "S256", "resource": origin + "/mcp", "scope": "tools",
      })
      place = ask("/authorize?" + query)[0]["Location"]
      code = urllib.parse.parse_qs(urllib.parse.urlsplit(place).query)["code"][0]
      tokens = json.loads(ask("/token", urllib.parse.urlencode({
        "grant_type": "authorization_code", "code": code, "redirect_uri": back,
        "client_id": client, "code_verifier": verifier, "resource": origin + "/mcp",
      }).encode(), "application/x-www-form-urlencoded")[1])
      print(client, tokens["access_token"], tokens["refresh_token"])
      """
    let (text, end) = try output(of: "/usr/bin/python3", ["-c", program, server.origin])
    try #require(end == .exited(0), "\(text)")
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    try #require(words.count == 3)
    return Login(client: words[0], access: words[1], refresh: words[2])
  }

  /// Writes the file as Claude Code does.
  private func keep(_ login: Login) throws {
    let text = #"""
      {"mcpOAuth":{"notes|0a1b2c3d4e5f6071":{"serverName":"notes","serverUrl":"\#(server.url)",
      "accessToken":"\#(login.access)","refreshToken":"\#(login.refresh)","expiresAt":1800000000000,
      "scope":"tools","clientId":"\#(login.client)","issuer":"\#(server.origin)/",
      "redirectUri":"http://127.0.0.1:1/callback"}},"other":1}
      """#
    try person.shell(
      "umask 077; mkdir -p \(person.home)/.claude; cat >\(file) <<'END'\n\(text)\nEND"
    ).succeeded()
  }

  /// Uses a refresh token as its first owner would, and returns the status.
  private func refresh(_ login: Login) throws -> Int64? {
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
  func aMovedLoginIsTheVaultsAlone() throws {
    let login = try signIn()
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

  /// The client was killed before it removed the entry: the same command finishes the move.
  @Test
  func aRepeatedImportSendsTheTokenOnce() throws {
    let login = try signIn()
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
    let login = try signIn()
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
