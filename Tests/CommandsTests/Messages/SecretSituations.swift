import PresenceTerms
import System
import VaultInterface

@testable import Commands

// Secrets without a login: `store`, and what other tools store.
extension Situation {
  private static let host = "[git.example.org]\naccount = git\nusername = ann\n"
  private static let approved =
    "protocol=https\nhost=git.example.org\nusername=ann\npassword=hunter2\n"
  private static let keeper = StoredSecretTests.account()

  private static func unknown(_ stage: Stage) throws {
    let call = try stage.expect(GetAccountCall.self)
    try stage.fail(.noSuchAccount(account: call.account ?? ""))
  }

  private static func new(_ stage: Stage) throws {
    try unknown(stage)
    try take(stage)
  }

  private static func take(_ stage: Stage, until end: Int? = nil) throws {
    _ = try stage.expect(StoreSecretCall.self)
    var stored = keeper
    stored.accessTokenExpiresAt = end
    try stage.reply(AccountReply(account: stored))
  }

  /// The vault says that this is its secret.
  private static func refused(_ stage: Stage) throws {
    _ = try stage.expect(AccessTokenCall.self)
    try stage.fail(.loginRequired(account: "git", message: CommandError.refusedSecret))
  }

  static let secrets: [Situation] = storing + byTools + refreshTokensOfGit + using

  private static let storing: [Situation] = [
    Situation("store git --host git.example.org --secret-stdin", "a new account", script: new)
      .with(hosts: "").with(input: "hunter2\n"),
    Situation("store git --host git.example.org", "it is typed") { stage in
      try unknown(stage)
      try stage.answer("Secret of git: ", "hunter2")
      try take(stage, until: 4_102_444_800)
    }.with(hosts: ""),
    Situation("store other --host git.example.org --secret-stdin", "another account has the host") {
      try new($0)
    }.with(hosts: host).with(input: "hunter2\n"),
    Situation("store git --host git.example.org --secret-stdin", "its earlier host") { stage in
      var earlier = keeper
      (earlier.issuer, earlier.accessTokenExpiresAt) = ("https://a.org", 4_102_444_800)
      try stage.knowAccount(earlier)
      try take(stage)
      try stage.knowTerms()
    }.with(hosts: "[a.org]\naccount = git\n").with(input: "hunter2\n"),
    Situation("store secret-01 --secret-stdin", "an item of the Secret Service") { stage in
      try stage.knowAccount(StoreVerbTests.item)
    }.with(hosts: "").with(input: "hunter2\n"),
    Situation("store git --secret-stdin", "no host", script: unknown).with(hosts: ""),
    Situation("store git --host git.example.org --no-input", "no person", script: unknown)
      .with(hosts: ""),
    Situation("store git --host a.org --expires tomorrow", "no date", script: unknown)
      .with(hosts: ""),
    Situation("store git --host a.org --secret-stdin", "an account that signs in") { stage in
      try stage.knowAccount(VerbTests.account)
    }.with(hosts: "").with(input: "hunter2\n"),
    Situation("store git --host a.org --secret-stdin", "a secret that is too long", script: unknown)
      .with(hosts: "").with(input: String(repeating: "x", count: 33_000)),
  ]

  private static let approvedRefresh =
    approved + "oauth_refresh_token=rt\n"

  private static func git(
    _ what: String,
    script: @escaping @Sendable (Stage) throws -> Void
  ) -> Situation {
    Situation("git-credential store", what) { stage in
      let call = try stage.expect(GetAccountCall.self)
      try stage.fail(.noSuchAccount(account: call.account ?? ""))
      _ = try stage.expect(ImportLoginCall.self)
      try script(stage)
    }.with {
      $0.files = [
        "forge": "[Provider]\nkind = oauth2\nissuer = https://git.example.org\nclient_id = c1\n"
      ]
      $0.settings = ["git/config": "[credential]\n\toauthClientId = c1\n"]
      $0.hosts = ""
      $0.input = approvedRefresh
      $0.environment = ["PATH": "/usr/bin:/bin"]
    }
  }

  private static let refreshTokensOfGit: [Situation] = [
    git("a refresh token of the same client") { stage in
      try stage.reply(ImportLoginReply(account: account { $0.name = "forge" }, rotated: true))
    },
    git("a refresh token whose answer is lost") { stage in
      try stage.fail(.providerUnavailable(message: "no answer came back", reason: .uncertain))
    },
    git("a refresh token without an access token") { stage in
      try stage.fail(.misconfigured(message: withoutAccessToken))
      try stage.knowAccount(account { $0.name = "forge" })
    },
    git("a refresh token that is refused") { stage in
      try stage.fail(.providerRefused(status: 400, message: invalidGrant))
      let call = try stage.expect(GetAccountCall.self)
      try stage.fail(.noSuchAccount(account: call.account ?? ""))
      _ = try stage.expect(StoreSecretCall.self)
      try stage.reply(AccountReply(account: StoredSecretTests.account()))
    },
    Situation("git-credential store", "a password with control characters")
      .with(hosts: "").with(input: approved.replacing("hunter2", with: "hunter\r2")),
  ]

  private static let byTools: [Situation] = [
    Situation("git-credential store", "a password with a refresh token", script: new)
      .with(hosts: "").with(input: approved + "oauth_refresh_token=rt\n"),
    Situation("git-credential store", "a password of another user") { stage in
      try stage.knowAccount(keeper)
    }.with(hosts: host).with(input: approved.replacing("=ann", with: "=eve")),
    Situation("git-credential store", "all names are taken") { stage in
      for _ in 1...9 { try stage.knowAccount(VerbTests.account) }
    }.with(hosts: "").with(input: approved),
    Situation("git-credential erase", "its secret is refused") { stage in
      try refused(stage)
      try stage.knowAccount(keeper)
      _ = try stage.expect(LogoutCall.self)
      try stage.reply(LogoutReply(revoked: false, grant: .valid))
    }.with(hosts: host).with(input: approved),
    Situation("git-credential erase", "another host refuses the secret") { stage in
      try refused(stage)
      try stage.knowAccount(keeper)
    }.with(hosts: host.replacing("git.", with: "api."))
      .with(input: approved.replacing("git.", with: "api.")),
    Situation("git-credential store", "the account keeps another password") { stage in
      try stage.knowAccount(keeper)
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token: "another")
    }.with(hosts: host).with(input: approved),
    Situation("docker-credential erase", "the account has more hosts") { stage in
      try stage.knowAccount(keeper)
      try stage.knowTerms(hosts: ["api.example.org"])
      _ = try stage.expect(LogoutCall.self)
      try stage.reply(LogoutReply(revoked: false, grant: .valid))
    }.with(hosts: host).with(input: "git.example.org"),
    Situation("git-credential erase", "the account is locked") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence(prompt: "")
      try stage.knowAccount(StoredSecretTests.account(.locked, isProtected: true))
    }.with(hosts: host).with(input: approved),
    Situation("docker-credential store", "a text that is not a registry")
      .with(hosts: "").with(input: #"{"ServerURL":"a b","Username":"u","Secret":"s"}"#),
    Situation("cargo-credential", "a login without a token").with(hosts: "").with(
      input: #"{"v":1,"kind":"login","registry":{"index-url":"sparse+https://a.org/"}}"#
    ),
    Situation("terraform-credential store a/b", "a text that is not a host")
      .with(hosts: "").with(input: #"{"token":"t"}"#),
  ]

  private static let using: [Situation] = [
    Situation("account list", "a secret") { stage in
      var account = keeper
      account.refreshedAt = nil
      try know(stage, [account])
    },
    Situation("login git", "an account without login") { try $0.knowAccount(keeper) },
    Situation("account list", "a secret that expires soon") { stage in
      var account = keeper
      account.refreshedAt = nil
      account.accessTokenExpiresAt = Int(WallTime.now.seconds) + 10 * 86_400 + 3600
      try know(stage, [account])
    },
    Situation("headers git", "a secret that is no ASCII") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token: "ä")
      try stage.knowAccount(keeper)
    },
    Situation("token git", "there is no secret") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(.loginRequired(account: "git", message: "it no longer has a secret"))
    },
    Situation("token git", "the secret has expired") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(.loginRequired(account: "git", message: "its secret has expired"))
    },
    Situation("token", "no account has a login") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(.invalidArgument(message: CommandError.onlySecrets))
    },
    Situation("token git", "a secret with control characters") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token: "a\u{1B}")
      try stage.knowAccount(keeper)
    },
    Situation("headers git", "a secret of several lines") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token: "a\nb")
      try stage.knowAccount(keeper)
    },
    Situation("headers git --basic", "no user name") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token: "a")
      var account = keeper
      account.subject = nil
      try stage.knowAccount(account)
    },
    Situation("account remove git --yes", "a secret") { stage in
      try stage.knowAccount(keeper)
      _ = try stage.expect(RemoveAccountCall.self)
      try stage.reply(LogoutReply(revoked: false, reason: "r", grant: .valid))
    }.with(hosts: ""),
  ]
}
