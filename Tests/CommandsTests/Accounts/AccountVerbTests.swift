import PlainText
import PresenceTerms
import TestSupport
import Testing
import VaultInterface

@testable import Commands

struct AccountVerbTests {
  /// Its `hosts.conf` is changed, not that of the person who runs the tests.
  private let home: ProviderHome

  init() throws { home = try ProviderHome() }

  static func account(_ state: AccountState, isDefault: Bool = false) -> VaultAccount {
    VaultAccount(
      name: "work",
      provider: "dev",
      kind: "password-backend",
      issuer: "http://localhost:8000",
      email: "ada@example.org",
      presenceProtection: false,
      state: state,
      isDefault: isDefault
    )
  }

  @Test
  func aRemovalIsConfirmedAtTheTerminal() throws {
    let play = try home.run("account remove work") { stage in
      _ = try stage.expect(GetAccountCall.self)
      try stage.reply(GetAccountReply(account: Self.account(.ready)))
      try stage.terminal.waitFor("[y/N]")
      try stage.terminal.type("y\n")
      #expect(
        try stage.expect(RemoveAccountCall.self) == RemoveAccountCall(account: "work", local: false)
      )
      try stage.reply(LogoutReply(revoked: true))
    }
    #expect(play.code == .done)
    #expect(play.screen.contains("Remove work, signed in as ada@example.org?"))
    #expect(play.talk.contains("Removed work"))
  }

  @Test(arguments: ["n", "", "yeah", "Y e s no"])
  func anythingButYesRemovesNothing(_ answer: String) throws {
    let play = try Play.run(["account", "remove", "work"]) { stage in
      _ = try stage.expect(GetAccountCall.self)
      try stage.reply(GetAccountReply(account: Self.account(.locked)))
      try stage.terminal.waitFor("[y/N]")
      try stage.terminal.type(answer + "\n")
      try stage.expectEnd()
    }
    #expect(play.code == .interrupted)
  }

  @Test(arguments: [
    (
      ["logout", "work"], "Sign out of work, signed in as ada@example.org?", "whatever dev answers"
    ),
    (["logout", "work", "--local"], "Sign out of work", "dev is not notified"),
    (["account", "remove", "work", "--local"], "Remove work", "dev is not notified"),
  ])
  func theQuestionSaysWhatWillHappen(_ words: [String], _ what: String, _ rest: String) throws {
    let play = try Play.run(words) { stage in
      try stage.knowAccount(Self.account(.ready))
      try stage.terminal.waitFor("[y/N]")
      try stage.terminal.type("\n")
      try stage.expectEnd()
    }
    #expect(play.code == .interrupted)
    let flowing = play.screen.replacing("\r\n", with: " ")
    #expect(flowing.contains(what) && flowing.contains(rest), "\(play.screen)")
  }

  /// The provider of a static secret is not contacted.
  @Test(arguments: [["logout", "work"], ["account", "remove", "work", "--local"]])
  func theQuestionSaysThatASecretStaysValid(_ words: [String]) throws {
    let play = try Play.run(words) { stage in
      var account = Self.account(.ready)
      account.kind = StoreVerb.kind
      try stage.knowAccount(account)
      try stage.terminal.waitFor("[y/N]")
      try stage.terminal.type("\n")
      try stage.expectEnd()
    }
    let flowing = play.screen.replacing("\r\n", with: " ")
    #expect(flowing.contains("stays valid at dev until you revoke it there"), "\(play.screen)")
  }

  /// No word of the question is cut in two, and there is room for the answer behind it.
  @Test
  func aQuestionFitsANarrowTerminal() throws {
    let play = try Play.run(["logout", "work"], columns: 30) { stage in
      try stage.knowAccount(Self.account(.ready))
      try stage.terminal.waitFor("[y/N] ")
      try stage.terminal.type("n\n")
      try stage.expectEnd()
    }
    #expect(play.code == .interrupted)
    let lines = play.screen.replacing("\r\n", with: "\n").split(separator: "\n")
    #expect(lines.count > 3 && lines.allSatisfy { $0.utf8.count <= 30 }, "\(play.screen)")
  }

  @Test(arguments: ["y\n", "yes\n", " Y \n"])
  func aSignOutIsConfirmedAtTheTerminal(_ answer: String) throws {
    let play = try Play.run(["logout", "work"]) { stage in
      try stage.knowAccount(Self.account(.loginRequired))
      try stage.terminal.waitFor("[y/N]")
      try stage.terminal.type(answer)
      #expect(try stage.expect(LogoutCall.self) == LogoutCall(account: "work", local: false))
      try stage.reply(
        LogoutReply(
          revoked: false,
          reason: "the provider has no revocation_endpoint",
          grant: .valid
        )
      )
    }
    #expect(play.code == .notRevoked)
    #expect(play.talk.contains("Signed out of work here"))
    #expect(play.talk.contains("the provider has no revocation_endpoint"))
  }

  @Test
  func ctrlCAtTheQuestionSignsNoAccountOut() throws {
    let play = try Play.run(["logout", "work"]) { stage in
      try stage.knowAccount(Self.account(.ready))
      try stage.terminal.waitFor("[y/N]")
      try stage.interrupt()
      try stage.expectEnd()
    }
    #expect(play.code == .interrupted)
  }

  @Test(arguments: [([], false), (["--no-input"], true), (["--yes"], true)] as [([String], Bool)])
  func withoutAPromptTheNameIsEnoughToSignOut(_ words: [String], _ terminal: Bool) throws {
    let play = try Play.run(["logout", "work"] + words, terminal: terminal) { stage in
      try stage.knowAccount(Self.account(.ready))
      _ = try stage.expect(LogoutCall.self)
      try stage.reply(LogoutReply(revoked: true))
    }
    #expect(play.code == .done)
    #expect(!play.screen.contains("[y/N]"))
  }

  @Test
  func whoIsNotSignedInIsNotAskedAboutIt() throws {
    let play = try Play.run(["logout", "work"]) { stage in
      try stage.knowAccount(Self.account(.signedOut))
      _ = try stage.expect(LogoutCall.self)
      try stage.reply(
        LogoutReply(revoked: false, reason: "was not signed in", grant: GrantState.none)
      )
    }
    #expect(play.code == .done)
    #expect(play.screen.isEmpty)
  }

  @Test
  func withoutATerminalNothingIsRemovedUnlessYesIsGiven() throws {
    for (words, terminal) in [([], false), (["--no-input"], true)] as [([String], Bool)] {
      let play = try Play.run(["account", "remove", "work"] + words, terminal: terminal) { stage in
        _ = try stage.expect(GetAccountCall.self)
        try stage.reply(GetAccountReply(account: Self.account(.ready)))
        try stage.expectEnd()
      }
      #expect(play.code == .promptNeeded)
      #expect(play.error?.hint?.contains("--yes") == true)
    }
    let play = try home.run("account remove work --yes --local", terminal: false) {
      try $0.knowAccount(Self.account(.ready))
      #expect(try $0.expect(RemoveAccountCall.self).local)
      try $0.reply(
        LogoutReply(revoked: false, reason: "erased only here, as requested", grant: .valid)
      )
    }
    #expect(play.code == .done)
    #expect(play.talk.contains("which was not notified"))
  }

  @Test
  func anAccountThatIsSignedOutIsRemovedWithoutAQuestion() throws {
    let play = try home.run("account remove work", terminal: false) { stage in
      _ = try stage.expect(GetAccountCall.self)
      try stage.reply(GetAccountReply(account: Self.account(.signedOut)))
      _ = try stage.expect(RemoveAccountCall.self)
      try stage.reply(
        LogoutReply(revoked: false, reason: "was not signed in", grant: GrantState.none)
      )
    }
    #expect(play.code == .done)
    #expect(play.talk == "removed work: it was not signed in\n")
  }

  @Test
  func renameAndDefaultSayWhatTheyDid() throws {
    let renamed = try home.run("account rename old work") { stage in
      #expect(
        try stage.expect(RenameAccountCall.self) == RenameAccountCall(account: "old", name: "work")
      )
      try stage.reply(AccountReply(account: Self.account(.ready)))
    }
    #expect(renamed.talk == "renamed old to work\n")
    let asked = try home.run("account rename me work") { stage in
      #expect(try stage.expect(RenameAccountCall.self).prompt == nil)
      try stage.fail(
        .presenceNeeded(
          PresenceRequest(
            prompt: "p1",
            requester: "bash, PID 4211",
            account: "me",
            purpose: .rename,
            detail: "work",
            methods: [.fingerprint],
            timeout: 30
          )
        )
      )
      _ = try stage.expect(CheckCall.self)
      try stage.terminal.waitFor("Touch the fingerprint reader to rename account 'me' to 'work'")
      try stage.reply(CheckEvent.passed)
      #expect(try stage.expect(RenameAccountCall.self).prompt == "p1")
      try stage.reply(AccountReply(account: Self.account(.ready)))
    }
    #expect(asked.code == .done)
    let chosen = try Play.run(["account", "default", "work"]) { stage in
      #expect(try stage.expect(SetDefaultAccountCall.self).account == "work")
      try stage.reply(AccountReply(account: Self.account(.ready, isDefault: true)))
    }
    #expect(chosen.talk.contains("work"))
    #expect(try Play.run(["account", "rename", "old", "../x"]) { _ in }.code == .usage)
  }

  @Test
  func theStatusFitsATerminalAndMarksTheDefault() {
    var long = Self.account(.loginRequired)
    long.name = String(repeating: "n", count: 40)
    long.issuer = "https://id.example.org"
    long.email = String(repeating: "e", count: 60) + "@example.org"
    long.accessTokenExpiresAt = 1_700_003_600
    long.refreshedAt = 1_699_000_000
    let status = VaultStatus(
      form: .private,
      version: "0.1.0",
      process: 4_000_000,
      deviceSecret: "file",
      memory: .ordinary,
      unlocked: true,
      unlockedFor: 540,
      unlockedAccounts: ["work"],
      enrolledFingers: ["left-index", "right-index"],
      fingerprintLockedOut: true,
      enrolledKeys: ["blue", "red"]
    )
    func text(_ accounts: [VaultAccount]) -> String {
      StatusVerbs.text(
        status,
        VaultReader(available: false, reason: "held by fprintd"),
        accounts,
        details: false,
        columns: 80,
        now: 1_700_000_000
      )
    }
    let both = text([long, Self.account(.ready, isDefault: true)])
    for part in [
      "work *", "default", "work (*)", "login-required", "keys", "blue, red",
      "too many scans failed",
    ] {
      #expect(both.contains(part), "\(part)")
    }
    for (letter, count) in [("n", 40), ("e", 60)] as [(Character, Int)] {
      let runs = both.split { $0 != letter }.map(\.count).filter { $0 >= 8 }
      #expect(runs.reduce(0, +) == count, "\(letter)")
    }
    var recent = Self.account(.ready)
    recent.refreshedAt = 1_699_000_000
    #expect(text([recent]).contains("11d ago"))
    #expect(text([recent]).contains("work: insecure, plain http on this machine"))
    #expect(!text([long]).contains("insecure"))
    #expect(both.split(separator: "\n").allSatisfy { PlainText.width(String($0)) <= 80 })
    #expect(text([long, Self.account(.ready)]).contains("none: thumblatch account default NAME"))
    #expect(text([]).contains("no accounts yet"))
  }

  @Test
  func theStatusOfOneAccountIsWhole() throws {
    var account = Self.account(.loginRequired, isDefault: true)
    account.subject = "17"
    account.cause = "answer lost"
    account.refreshedAt = 1_700_000_000
    let text = AccountText.details(account, columns: 80, now: 1_700_000_300)
    for part in [
      "work (the default account)", "dev, password-backend", "http://localhost:8000",
      "ada@example.org", "17", "off", "5m ago", "login-required", "answer lost",
    ] { #expect(text.contains(part), "\(part)") }
    #expect(text.split(separator: "\n").allSatisfy { PlainText.width(String($0)) <= 80 })
  }
}
