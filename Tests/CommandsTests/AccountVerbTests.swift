import Testing
import VaultInterface

@testable import Commands

struct AccountVerbTests {
  private static func account(_ state: AccountState, isDefault: Bool = false) -> VaultAccount {
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
    let play = try Play.run(["account", "remove", "work"]) { stage in
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
    #expect(play.talk.contains("removed work"))
  }

  @Test(arguments: ["n", "", "yeah", "Y e s no"])
  func anythingButYesRemovesNothing(_ answer: String) throws {
    let play = try Play.run(["account", "remove", "work"]) { stage in
      _ = try stage.expect(GetAccountCall.self)
      try stage.reply(GetAccountReply(account: Self.account(.expired)))
      try stage.terminal.waitFor("[y/N]")
      try stage.terminal.type(answer + "\n")
      try stage.expectEnd()
    }
    #expect(play.code == .presence)
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
      #expect(play.talk.contains("--yes"))
    }
    let play = try Play.run(["account", "remove", "work", "--yes", "--local"], terminal: false) {
      #expect(try $0.expect(RemoveAccountCall.self).local)
      try $0.reply(LogoutReply(revoked: false, reason: "only erased here, as asked for"))
    }
    #expect(play.code == .done)
  }

  @Test
  func anAccountThatIsSignedOutIsRemovedWithoutAQuestion() throws {
    let play = try Play.run(["account", "remove", "work"], terminal: false) { stage in
      _ = try stage.expect(GetAccountCall.self)
      try stage.reply(GetAccountReply(account: Self.account(.signedOut)))
      _ = try stage.expect(RemoveAccountCall.self)
      try stage.reply(LogoutReply(revoked: false, reason: "was not signed in"))
    }
    #expect(play.code == .done)
  }

  @Test
  func renameAndDefaultSayWhatTheyDid() throws {
    let renamed = try Play.run(["account", "rename", "old", "work"]) { stage in
      #expect(
        try stage.expect(RenameAccountCall.self) == RenameAccountCall(account: "old", name: "work")
      )
      try stage.reply(AccountReply(account: Self.account(.ready)))
    }
    #expect(renamed.talk == "old is now called work\n")
    let chosen = try Play.run(["account", "default", "work"]) { stage in
      #expect(try stage.expect(SetDefaultAccountCall.self).account == "work")
      try stage.reply(AccountReply(account: Self.account(.ready, isDefault: true)))
    }
    #expect(chosen.talk.contains("work"))
    #expect(try Play.run(["account", "rename", "old", "../x"]) { _ in }.code == .usage)
  }

  @Test
  func theStatusOfOneAccountIsWhole() throws {
    var account = Self.account(.loginRequired, isDefault: true)
    account.subject = "17"
    account.cause = "answer lost"
    account.refreshedAt = 1_700_000_000
    let text = AccountText.details(account, columns: 80, now: 1_700_000_300)
    for part in [
      "work (meant where none is named)", "dev, password-backend", "http://localhost:8000",
      "ada@example.org", "17", "off", "5m ago", "login-required", "answer lost",
    ] { #expect(text.contains(part), "\(part)") }
    #expect(text.split(separator: "\n").allSatisfy { PlainText.width(String($0)) <= 80 })
  }
}
