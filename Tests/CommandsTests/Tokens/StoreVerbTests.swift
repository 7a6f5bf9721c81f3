import Configuration
import PresenceTerms
import SecretMemory
import System
import TestSupport
import Testing
import VaultInterface

@testable import Commands

struct StoreVerbTests {
  func run(
    _ line: String,
    _ input: String = "hunter2\n",
    hosts: String = "",
    script: @escaping @Sendable (Stage) throws -> Void
  ) throws -> (play: Play, hosts: String) {
    let home = try ProviderHome()
    try home.writeHosts(hosts)
    let play = try home.run(line, input: Array(input.utf8), script: script)
    #expect(!(play.out + play.talk + play.screen).contains("hunter2"))
    return (play, home.settings("thumblatch/hosts.conf") ?? "")
  }

  private static func noAccount(_ stage: Stage) throws {
    _ = try stage.expect(GetAccountCall.self)
    try stage.fail(.noSuchAccount(account: "pat"))
  }

  @Test
  func aNewSecretIsServedToItsHost() throws {
    let line =
      "store pat --host git.example.org --api-host api.example.org --username ann --label Forge"
      + " --expires 2100-01-01T00:00:00Z --protect --secret-stdin"
    let (play, hosts) = try run(line) { stage in
      try Self.noAccount(stage)
      let call = try stage.expect(StoreSecretCall.self)
      #expect(call.account == "pat" && call.username == "ann" && call.label == "Forge")
      #expect(
        call.provider.settings == [
          "kind": "static", "issuer": "https://git.example.org", "api_hosts": "api.example.org",
        ]
      )
      #expect(call.expiresAt == 4_102_444_800 && call.presenceProtection == true)
      #expect(
        SecretBytes.constantTimeEqual(call.secret.bytes, try Situation.secret("hunter2").bytes)
      )
      try stage.reply(AccountReply(account: StoredSecretTests.account()))
    }
    #expect(play.code == .done, "\(play.talk)")
    #expect(hosts == "[git.example.org]\naccount = pat\nusername = ann\nscheme = basic\n")
  }

  /// The text of a key has line ends, and only the last one is not its own.
  @Test
  func allOfStandardInputIsTheSecret() throws {
    let text = "{\n  \"key\": \"hunter2\"\n}\n" + String(repeating: "x", count: 5000)
    let (play, _) = try run("store pat --host a.org --secret-stdin", text + "\n") { stage in
      try Self.noAccount(stage)
      let call = try stage.expect(StoreSecretCall.self)
      #expect(SecretBytes.constantTimeEqual(call.secret.bytes, try Situation.secret(text).bytes))
      try stage.reply(AccountReply(account: StoredSecretTests.account()))
    }
    #expect(play.code == .done)
  }

  @Test(arguments: [
    ("a\r\nhunter2\r\n", "a\r\nhunter2"), ("hunter2\n\r\n", "hunter2\n"),
    ("hunter2\r", "hunter2\r"),
    (longest + "\r\n", longest),
  ])
  func aFinalLineEndOfEitherKindIsDropped(_ input: String, _ secret: String) throws {
    let (play, _) = try run("store pat --host a.org --secret-stdin", input) { stage in
      try Self.noAccount(stage)
      let call = try stage.expect(StoreSecretCall.self)
      #expect(SecretBytes.constantTimeEqual(call.secret.bytes, try Situation.secret(secret).bytes))
      try stage.reply(AccountReply(account: StoredSecretTests.account()))
    }
    #expect(play.code == .done)
  }

  private static let longest = String(repeating: "x", count: 32 * 1024)

  @Test
  func aKnownAccountKeepsWhatNoOptionChanges() throws {
    let provider = VaultProvider(
      name: "git",
      settings: ["kind": "static", "issuer": "https://git.example.org"]
    )
    let (play, hosts) = try run("store git --secret-stdin") { stage in
      try stage.knowAccount(StoredSecretTests.account())
      _ = try stage.expect(AccountProviderCall.self)
      try stage.reply(AccountProviderReply(account: "git", provider: provider))
      let call = try stage.expect(StoreSecretCall.self)
      #expect(call.provider == provider && call.username == "ann" && call.label == "Forge")
      #expect(call.expiresAt == nil && call.presenceProtection == nil)
      try stage.reply(AccountReply(account: StoredSecretTests.account()))
    }
    #expect(play.code == .done && hosts == "")
  }

  @Test(arguments: [
    "store pat --secret-stdin", "store pat --host http://a.org --secret-stdin",
    "store pat --host a.org/x --secret-stdin", "store pat --host a.org --expires tomorrow",
    "store pat --host a.org --expires 2001-01-01 --secret-stdin",
  ])
  func whatCannotBeMeantIsRefused(_ line: String) throws {
    let (play, hosts) = try run(line) { stage in try Self.noAccount(stage) }
    #expect(play.code == .usage && hosts == "")
  }

  @Test(arguments: [
    "", "\n", "\r\n", "a\0b", String(repeating: "x", count: 32 * 1024 + 1), longest + "\r\nx",
  ])
  func noSecretIsNoSecret(_ input: String) throws {
    let (play, _) = try run("store pat --host a.org --secret-stdin", input) { stage in
      try Self.noAccount(stage)
    }
    #expect(play.code == .usage)
  }

  /// An item of the Secret Service.
  static var item: VaultAccount {
    var account = StoredSecretTests.account()
    (account.name, account.provider) = ("secret-01", "secret-service")
    account.issuer = "https://localhost"
    return account
  }

  @Test
  func anItemOfTheSecretServiceIsNotReplaced() throws {
    let (play, _) = try run("store secret-01 --secret-stdin") { stage in
      try stage.knowAccount(Self.item)
      try stage.expectEnd()
    }
    #expect(play.code == .refused && play.talk.contains("secret-tool"))
  }

  @Test
  func theSameHostKeepsTheProvider() throws {
    let provider = VaultProvider(
      name: "git",
      settings: [
        "kind": "static", "issuer": "https://git.example.org", "proxy": "http://proxy.org:8080",
        "api_hosts": "api.example.org",
      ]
    )
    let (play, _) = try run("store git --host git.example.org --secret-stdin") { stage in
      var account = StoredSecretTests.account()
      account.accessTokenExpiresAt = 4_102_444_800
      try stage.knowAccount(account)
      _ = try stage.expect(AccountProviderCall.self)
      try stage.reply(AccountProviderReply(account: "git", provider: provider))
      let call = try stage.expect(StoreSecretCall.self)
      #expect(call.provider == provider && call.expiresAt == nil)
      try stage.reply(AccountReply(account: StoredSecretTests.account()))
    }
    #expect(play.code == .done && play.talk.contains("no expiry date is known"), "\(play.talk)")
  }

  @Test(arguments: ["a~b", "a:b", "ä"])
  func aUserNameThatNoFileCouldHoldIsRefusedBefore(_ name: String) throws {
    let home = try ProviderHome()
    let play = try home.run(
      "store pat --host a.org --username \(name) --secret-stdin",
      input: Array("hunter2\n".utf8)
    ) { stage in
      try Self.noAccount(stage)
      try stage.expectEnd()
    }
    #expect(play.code == .usage && home.settings("thumblatch/hosts.conf") == nil)
  }

  /// Otherwise the old host would get the new host's secret.
  @Test
  func theHostsOfTheEarlierSecretEnd() throws {
    let old = "[a.org]\naccount = git\n\n[other.org]\naccount = other\n"
    let (play, hosts) = try run(
      "store git --host git.example.org --secret-stdin",
      hosts: old
    ) { stage in
      var account = StoredSecretTests.account()
      account.issuer = "https://a.org"
      try stage.knowAccount(account)
      #expect(try stage.expect(StoreSecretCall.self).provider.settings["api_hosts"] == nil)
      try stage.reply(AccountReply(account: StoredSecretTests.account()))
      try stage.knowTerms()
    }
    #expect(play.code == .done && play.talk.contains("a.org no longer gets the secret of git"))
    #expect(!hosts.contains("a.org") && hosts.contains("[other.org]\naccount = other\n"))
    #expect(hosts.contains("[git.example.org]\naccount = git\nusername = ann\n"))
  }

  @Test
  func anotherUserNameGoesToTheHosts() throws {
    let (play, hosts) = try run(
      "store git --username eve --secret-stdin",
      hosts: "[git.example.org]\naccount = git\nusername = ann\n"
    ) { stage in
      try stage.knowAccount(StoredSecretTests.account())
      _ = try stage.expect(AccountProviderCall.self)
      let provider = try StoreVerb.provider(at: try TokenHost("git.example.org"))
      try stage.reply(AccountProviderReply(account: "git", provider: provider))
      #expect(try stage.expect(StoreSecretCall.self).username == "eve")
      try stage.reply(AccountReply(account: StoredSecretTests.account()))
      try stage.knowTerms()
    }
    #expect(play.code == .done)
    #expect(hosts == "[git.example.org]\naccount = git\nusername = eve\nscheme = basic\n")
  }

  @Test
  func anAccountThatSignsInIsNotOverwritten() throws {
    let (play, _) = try run("store me --host a.org --secret-stdin") { stage in
      try stage.knowAccount(VerbTests.account)
    }
    #expect(play.code == .refused && play.talk.contains("signs in at"))
  }

  @Test
  func theSecretIsTypedWithoutEcho() throws {
    let play = try Play.run(["store", "pat", "--host", "a.org"], environment: [:]) { stage in
      try Self.noAccount(stage)
      try stage.answer("Secret of pat: ", "hunter2")
      _ = try stage.expect(StoreSecretCall.self)
      try stage.fail(.refused(message: "no", narrows: false))
    }
    #expect(play.echoes && !play.screen.contains("hunter2"))
  }

  @Test
  func basicSendsTheUserName() throws {
    let play = try Play.run(["headers", "git", "--basic"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(
        AccessTokenReply(
          account: "git",
          accessToken: "open sesame",
          tokenType: "Bearer",
          shorterThanRequested: false
        )
      )
      var account = StoredSecretTests.account()
      account.subject = "Aladdin"
      // The token has a space, which only a static secret may have.
      try stage.knowAccount(account)
      try stage.knowAccount(account)
    }
    // The example of RFC 7617, section 2.
    #expect(play.out == #"{"Authorization":"Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="}"# + "\n")
  }

  @Test
  func statusSaysKindAndEndInWords() throws {
    var account = StoredSecretTests.account(.locked, isProtected: true)
    account.refreshedAt = 1_000_000 - 30 * 86_400
    account.accessTokenExpiresAt = 1_000_000 + 30 * 86_400
    let text = AccountText.details(account, columns: nil, now: 1_000_000)
    #expect(text.contains("static") && text.contains(" left"), "\(text)")
    #expect(text.contains("each use needs a presence check") && text.contains("stored"))
    #expect(!text.contains("expires soon"))
    for (days, isSoon) in [(15, false), (14, true), (1, true), (-1, false)] {
      account.accessTokenExpiresAt = 1_000_000 + days * 86_400
      let table = AccountText.table([account], columns: nil, now: 1_000_000)
      #expect(table.contains("git: the secret expires soon") == isSoon, "\(days)")
    }
    account.accessTokenExpiresAt = nil
    #expect(AccountText.table([account], columns: nil, now: 0).contains("no end"))
  }

  /// Git stores passwords that are valid for an hour, and no person can renew them.
  @Test(arguments: [(86_400 - 1, false), (86_400, true)])
  func statusDoesNotWarnOfASecretOfLessThanADay(_ life: Int, _ isSoon: Bool) {
    var account = StoredSecretTests.account()
    account.refreshedAt = 1_000_000
    account.accessTokenExpiresAt = 1_000_000 + life
    for now: Int64 in [1_000_000, 1_000_000 + Int64(life)] {
      let table = AccountText.table([account], columns: nil, now: now)
      #expect(table.contains("git: the secret expires soon") == isSoon, "\(table)")
      let details = AccountText.details(account, columns: nil, now: now)
      #expect(details.contains("the secret expires soon") == isSoon, "\(details)")
    }
  }

  @Test
  func aLogoutSaysThatTheSecretStaysValid() throws {
    let play = try Play.run(["logout", "git"], terminal: false) { stage in
      try stage.knowAccount(StoredSecretTests.account())
      _ = try stage.expect(LogoutCall.self)
      try stage.reply(LogoutReply(revoked: false, reason: "r", grant: .valid))
    }
    #expect(play.code == .notRevoked)
    #expect(play.talk.contains("stays valid at git.example.org until you revoke it there"))
  }
}
