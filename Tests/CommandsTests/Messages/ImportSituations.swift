import HelperInterface
import VaultInterface

@testable import Commands

// `import`: logins of other programs.
extension Situation {
  private static let server = "https://mcp.example.com/mcp"

  /// The credentials of Claude Code with one login for an MCP server.
  private static func claude(
    _ changes: [(String, String)] = [],
    others: String = ""
  ) -> [String: String] {
    var entry =
      #""git|0a":{"serverName":"git","serverUrl":"\#(server)","refreshToken":"rt","#
      + #""expiresAt":1763717400000,"scope":"tools","clientId":"c1","issuer":"https://id.example.com"}"#
    for (old, new) in changes { entry = entry.replacing(old, with: new) }
    return ["claude/.credentials.json": #"{"mcpOAuth":{\#(entry)\#(others)}}"#]
  }

  private static let others =
    #","old|0b":{"serverName":"old","serverUrl":"https://o.example"},"odd|0c":7,"#
    + #""new|0d":{"serverName":"new","serverUrl":"https://n.example","refreshToken":"rt"},"#
    + #""far|0e":{"serverName":"far","serverUrl":"ftp://f.example","refreshToken":"r","clientId":"c"}"#

  private static let codex =
    #"{"git|0a":{"server_name":"git","server_url":"\#(server)","client_id":"c1","refresh_token":"rt","#
    + #""expires_at":1763717400000,"scopes":["tools"],"issuer":"https://id.example.com"}}"#

  /// A login of opencode, which keeps no issuer.
  private static let withoutIssuer = [
    "opencode/mcp-auth.json":
      #"{"git":{"tokens":{"refreshToken":"rt","scope":"tools"},"clientInfo":{"clientId":"c1"},"#
      + #""serverUrl":"\#(server)"}}"#
  ]

  private static let opencode = #"""
    {"openai":{"type":"oauth","refresh":"rt"},"anthropic":{"type":"oauth","refresh":"rt"},
     "groq":{"type":"api","key":"k"}}
    """#

  private static let gh = "github.com:\n    user: ann\n    oauth_token: gho_1\n"

  private static let passwords = """
    https://ann:hunter2@git.example.org
    https://ann:hunter2@git.example.org/app.git
    http://ann:hunter2@git.example.org
    https://ghp_1:x-oauth-basic@github.com

    """

  private static func discovered(_ stage: Stage) throws {
    _ = try stage.expect(TestProviderCall.self)
    try stage.reply(ImportVerbTests.metadata)
  }

  private static func taken(_ name: String, rotated: Bool, _ stage: Stage) throws {
    _ = try stage.expect(ImportLoginCall.self)
    try stage.reply(ImportLoginReply(account: account { $0.name = name }, rotated: rotated))
  }

  private static func newSecret(_ stage: Stage) throws {
    for _ in 1...2 {
      let call = try stage.expect(GetAccountCall.self)
      try stage.fail(.noSuchAccount(account: call.account ?? ""))
    }
    _ = try stage.expect(StoreSecretCall.self)
    try stage.reply(AccountReply(account: StoredSecretTests.account()))
  }

  private static func failing(_ error: VaultError) -> @Sendable (Stage) throws -> Void {
    { stage in
      try discovered(stage)
      _ = try stage.expect(ImportLoginCall.self)
      try stage.fail(error)
    }
  }

  private static func importing(
    _ words: String,
    _ what: String,
    _ settings: [String: String] = [:],
    files: [String: String] = [:],
    script: @escaping @Sendable (Stage) throws -> Void = { try $0.expectEnd() }
  ) -> Situation {
    Situation("import \(words)", what, script: script).with {
      $0.web = ImportVerbTests.web
      $0.settings = settings
      $0.files = files
    }
  }

  static let imports: [Situation] = importQuestions + importMoves + importRefusals + importFiles

  private static let importQuestions: [Situation] = [
    importing("", "no program"),
    importing("--from claud", "a program that is nearly right"),
    importing("--from emacs", "a program that is not known"),
    importing("--from oidc-agent", "no output of its program"),
    importing("--from oidc-agent", "another document").with(input: "{}"),
    importing("--from oidc-agent", "no document").with(input: "{"),
    importing("--from oidc-agent", "no encrypted file").with(input: OIDCAgentImportTests.printed()),
    importing(
      "--from oidc-agent",
      "certificates that are gone",
      ["oidc-agent/work": OIDCAgentImportTests.file]
    ).with(input: OIDCAgentImportTests.printed([(OIDCAgentImportTests.system, "/none/ca.pem")])),
    importing("--from oidc-agent", "a file of another program", ["oidc-agent/work": "hidden"])
      .with(input: OIDCAgentImportTests.printed()),
    importing("--from oidc-agent --client-secret-stdin", "a client secret beside the login")
      .with(input: OIDCAgentImportTests.printed()),
    importing("--from oidc-agent --file /etc/passwd", "the file of another name")
      .with(input: OIDCAgentImportTests.printed()),
    importing("--from codex", "no login"),
    importing("--from gh", "no login, and a keyring"),
    importing("--from claude --entry other", "another name", claude()),
    importing("--from claude --entry old", "no refresh token", claude(others: others)),
    importing("--from claude", "several logins", claude(others: others)) { stage in
      try stage.answer("Number or name: ", "git")
      try discovered(stage)
      try stage.answer("[y/N] ", "n")
    },
    importing("--from claude", "several logins, and no terminal", claude(others: others))
      .withoutTerminal,
    importing(
      "--from claude",
      "its own login",
      ["claude/.credentials.json": #"{"claudeAiOauth":{"refreshToken":"rt"}}"#]
    ),
    importing("--from opencode", "logins of its own", ["opencode/auth.json": opencode]) { stage in
      try stage.answer("Number or name: ", "openai")
      try stage.answer("[y/N] ", "n")
    },
    importing("--from git-credential-store", "several passwords", ["git/credentials": passwords]) {
      try $0.answer("Number or name: ", "2")
    },
    importing("--from claude --no-input", "no question", claude(), script: discovered),
  ]

  private static let importMoves: [Situation] = [
    importing("--from claude", "the login is moved", claude()) { stage in
      try discovered(stage)
      try stage.answer("[y/N] ", "y")
      try taken("git", rotated: true, stage)
    },
    importing(
      "mine --from codex --yes",
      "the provider keeps the token",
      [
        "codex/.credentials.json": codex
      ]
    ) { stage in
      try discovered(stage)
      try taken("mine", rotated: false, stage)
    },
    importing("--from claude --keep", "a copy stays", claude()) { stage in
      try discovered(stage)
      try stage.answer("[y/N] ", "y")
      try taken("git", rotated: true, stage)
    },
    importing("--from claude --yes --json", "for a program", claude()) { stage in
      try discovered(stage)
      try taken("git", rotated: true, stage)
    },
    importing(
      "--from oidc-agent --yes",
      "a login that its program has printed",
      ["oidc-agent/work": OIDCAgentImportTests.file]
    ) { stage in
      try discovered(stage)
      try taken("work", rotated: true, stage)
    }.with(input: OIDCAgentImportTests.printed()),
    importing("--from gh --yes", "a token of gh", ["gh/hosts.yml": gh]) { stage in
      try newSecret(stage)
    },
    importing(
      "--from git-credential-store --entry ann@git.example.org --yes",
      "a password",
      [
        "git/credentials": passwords
      ]
    ) { stage in
      try newSecret(stage)
    },
  ]

  private static let importRefusals: [Situation] = [
    importing(
      "--from claude --yes",
      "the provider refuses",
      claude(),
      script: failing(.providerRefused(status: 400, message: invalidGrant))
    ),
    importing(
      "--from claude --yes",
      "the answer is lost",
      claude(),
      script: failing(.providerUnavailable(message: "no answer came back", reason: .uncertain))
    ),
    importing(
      "--from claude --yes",
      "the account is signed in",
      claude(),
      script: failing(.refused(message: "git is signed in, and an import replaces no login"))
    ),
    importing("--from claude --yes", "the answer has no access token", claude()) { stage in
      try failing(.misconfigured(message: withoutAccessToken))(stage)
      try stage.knowAccount(account { $0.name = "git" })
    },
    importing("--from opencode --yes", "no issuer, and no person", withoutIssuer),
    importing("--from opencode", "no issuer, and several servers", withoutIssuer).with {
      $0.web = ImportVerbTests.web.merging([
        "https://mcp.example.com/.well-known/oauth-protected-resource/mcp": WebAnswer(
          .answered(status: 200, length: 0),
          #"{"resource":"\#(server)","authorization_servers":["https://a.org","https://b.org"]}"#
        )
      ]) { $1 }
    },
    importing(
      "--from claude --provider mine --yes",
      "a provider with another client",
      claude(),
      files: ["mine": "[Provider]\nkind = oauth2\nissuer = https://id.example.com\nclient_id = c\n"]
    ),
    importing(
      "--from claude --yes",
      "the name of another provider",
      claude(),
      files: ["git": "[Provider]\nkind = oauth2\nissuer = https://a.org\nclient_id = c\n"]
    ),
    importing(
      "--from claude --yes",
      "another authorization server",
      claude([("id.example.com", "old.example.com")])
    ),
    importing("--from claude --yes", "no URL", claude([("https://mcp", "ftp://mcp")])),
    importing("--from claude --yes", "a bad scope", claude([("tools", "a\\\\b")])),
    importing("--from claude --yes", "no name", claude([("\"git\"", "\"--\"")])),
    importing("git --from gh --yes", "a name", ["gh/hosts.yml": gh]),
    importing("--from gh --yes", "the host keeps another secret", ["gh/hosts.yml": gh]) { stage in
      var known = StoredSecretTests.account()
      known.issuer = "https://github.com"
      try stage.knowAccount(known)
    }.with(hosts: "[github.com]\naccount = git\nusername = eve\n"),
    importing("--from gh --yes", "an account of the name", ["gh/hosts.yml": gh]) { stage in
      var known = StoredSecretTests.account()
      (known.name, known.issuer) = ("github.com-ann", "https://github.com")
      try stage.knowAccount(known)
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token: "another")
    },
    importing("--from gh --yes", "the account is locked", ["gh/hosts.yml": gh]) { stage in
      var known = StoredSecretTests.account(isProtected: true)
      (known.name, known.issuer) = ("github.com-ann", "https://github.com")
      try stage.knowAccount(known)
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence()
    },
    importing("--from gh --yes", "the host of a login", ["gh/hosts.yml": gh]) {
      try $0.knowAccount(account())
    }.with(hosts: "[github.com]\naccount = work\n"),
  ]

  private static let importFiles: [Situation] = [
    importing("--from claude --file /", "a directory"),
    importing("--from claude --file /dev/null", "a device"),
    importing("--from claude --file /dev/null/x", "no directory"),
    importing("--from claude --file /dev/stdin", "a link"),
    importing("--from claude", "no JSON", ["claude/.credentials.json": "{"]),
    importing(
      "--from claude",
      "a large file",
      ["claude/.credentials.json": String(repeating: " ", count: 140_000)]
    ),
  ]
}
