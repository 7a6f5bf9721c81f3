import System
import TestSupport
import Testing

// The logins that tools make and keep for the server.
extension MCPServer {
  /// A login as a tool makes one: a registered client, a code, and its tokens.
  struct Login {
    let client: String
    let access: String
    let refresh: String
  }

  /// Registers a client with one redirect URI; returns its ID.
  func register(redirect: String) throws -> String {
    let program = """
      import json, sys, urllib.request
      request = urllib.request.Request(sys.argv[1] + "/register", json.dumps({
        "redirect_uris": [sys.argv[2]], "token_endpoint_auth_method": "none", "scope": "tools",
        "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
      }).encode(), {"Content-Type": "application/json"})
      print(json.load(urllib.request.urlopen(request))["client_id"], end="")
      """
    let (text, end) = try output(of: "/usr/bin/python3", ["-c", program, origin, redirect])
    try #require(end == .exited(0), "\(text)")
    return text
  }

  /// Signs in as a tool does.
  func signIn() throws -> Login {
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
    let (text, end) = try output(of: "/usr/bin/python3", ["-c", program, origin])
    try #require(end == .exited(0), "\(text)")
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    try #require(words.count == 3)
    return Login(client: words[0], access: words[1], refresh: words[2])
  }

  /// The member of `mcpOAuth` in Claude Code's file, for a server of this name.
  func claudeEntry(_ name: String, _ login: Login) -> String {
    #"""
    {"\#(name)|0a1b2c3d4e5f6071":{"serverName":"\#(name)","serverUrl":"\#(url)",
    "accessToken":"\#(login.access)","refreshToken":"\#(login.refresh)","expiresAt":1800000000000,
    "scope":"tools","clientId":"\#(login.client)","issuer":"\#(origin)/",
    "redirectUri":"http://127.0.0.1:1/callback"}}
    """#
  }

  /// Codex's file, for a server of this name.
  func codexFile(_ name: String, _ login: Login) -> String {
    #"""
    {"\#(name)|0a1b2c3d4e5f6071":{"server_name":"\#(name)","server_url":"\#(url)",
    "issuer":"\#(origin)/","client_id":"\#(login.client)","access_token":"\#(login.access)",
    "refresh_token":"\#(login.refresh)","expires_at":1800000000000,"scopes":["tools"]}}
    """#
  }
}
