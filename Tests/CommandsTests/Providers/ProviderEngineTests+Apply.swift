import PresenceTerms
import TestSupport
import Testing
import Varlink
import VaultInterface

@testable import Commands

/// Provider files that were edited after the login.
extension ProviderEngineTests {
  @Test
  func anEditedFileIsAppliedAfterWhatChangesWasShown() throws {
    let home = try ProviderHome()
    try home.write(
      Self.file.replacing("cli\n", with: "other\nclient_secret = hunter2\n"),
      "work"
    )
    let play = try home.run("provider apply work") { stage in
      try stage.knowAccounts([
        Self.account("a"), Self.account("b"), Self.account("c", state: .signedOut),
        Self.account("d", provider: "dev"),
      ])
      #expect(try stage.expect(AccountProviderCall.self).account == "a")
      try stage.reply(try Self.bound("a"))
      let first = try stage.expect(ApplyProviderCall.self)
      #expect(first.account == "a" && first.prompt == nil)
      #expect(first.provider.settings["client_id"] == "other")
      try stage.needPresence(.applyProvider, methods: [.password])
      try stage.terminal.waitFor("Type the system password")
      // The changes are above the question.
      #expect(stage.terminal.screen.contains("client_id: cli → other"))
      let check = try stage.call(CheckCall.self)
      #expect(check.more)
      try stage.reply(CheckEvent.passed)
      #expect(try stage.expect(ApplyProviderCall.self).prompt == "p1")
      try stage.reply(AccountReply(account: Self.account("a")))
      let edited = ["client_id": "other", "client_secret": "hunter2"]
      #expect(try stage.expect(AccountProviderCall.self).account == "a")
      try stage.reply(try Self.bound("a", edited))
      #expect(try stage.expect(AccountProviderCall.self).account == "b")
      try stage.reply(try Self.bound("b", edited))
      // The engine is still asked, because the provider may have changed.
      #expect(try stage.expect(ApplyProviderCall.self).account == "b")
      try stage.reply(AccountReply(account: Self.account("b")))
      #expect(try stage.expect(AccountProviderCall.self).account == "b")
      try stage.reply(try Self.bound("b", edited))
      try stage.expectEnd()
    }
    #expect(play.code == .done)
    #expect(play.screen.contains("client_secret: (none) → (set)"))
    #expect(!play.screen.contains("hunter2"))
    #expect(
      play.talk
        == "a now uses the current settings of work\nb already uses the current settings of work\n"
    )
  }

  @Test
  func anotherSecretIsToldWithoutBeingShown() throws {
    let home = try ProviderHome()
    try home.write(Self.file + "client_secret = hunter2\n", "work")
    let play = try home.run("provider apply work a --json") { stage in
      try stage.knowAccounts([Self.account("a")])
      _ = try stage.expect(AccountProviderCall.self)
      try stage.reply(try Self.bound("a", ["client_secret": "hunter3"]))
      _ = try stage.expect(ApplyProviderCall.self)
      try stage.reply(AccountReply(account: Self.account("a")))
      _ = try stage.expect(AccountProviderCall.self)
      try stage.reply(try Self.bound("a", ["client_secret": "hunter2"]))
    }
    #expect(
      play.out == """
        {"applied":[{"account":"a","changes":[{"key":"client_secret","old":"(set)",\
        "new":"another: (set)"}]}],"unchanged":[]}

        """
    )
    #expect(!(play.out + play.screen + play.talk).contains("hunter"))
  }

  @Test
  func whatTheProviderItselfHasMovedIsAppliedThoughTheFileIsTheSame() throws {
    let home = try ProviderHome()
    try home.write(Self.file, "work")
    let play = try home.run("provider apply work a --json") { stage in
      try stage.knowAccounts([Self.account("a")])
      _ = try stage.expect(AccountProviderCall.self)
      try stage.reply(try Self.bound("a"))
      _ = try stage.expect(ApplyProviderCall.self)
      let change = "token_endpoint https://id.example.com/token → https://id.example.com/v2"
      try stage.needPresence(.applyProvider, methods: [.password], detail: change)
      try stage.terminal.waitFor(change.split(separator: " ").last.map(String.init) ?? "")
      _ = try stage.call(CheckCall.self)
      try stage.reply(CheckEvent.passed)
      #expect(try stage.expect(ApplyProviderCall.self).prompt == "p1")
      try stage.reply(AccountReply(account: Self.account("a")))
      _ = try stage.expect(AccountProviderCall.self)
      try stage.reply(try Self.bound("a", token: "https://id.example.com/v2"))
    }
    #expect(
      play.out == """
        {"applied":[{"account":"a","changes":[{"key":"token_endpoint",\
        "old":"https://id.example.com/token","new":"https://id.example.com/v2"}]}],"unchanged":[]}

        """
    )
  }

  @Test
  func nothingIsAppliedIfNoPromptIsPossible() throws {
    let home = try ProviderHome()
    try home.write(Self.file.replacing("= cli", with: "= other"), "work")
    for line in ["provider apply work --no-input", "provider apply work"] {
      let play = try home.run(line, terminal: false) { stage in
        try stage.knowAccounts([Self.account("a")])
        _ = try stage.expect(AccountProviderCall.self)
        try stage.reply(try Self.bound("a"))
        try stage.expectEnd()
      }
      #expect(play.code == .promptNeeded)
    }
  }

  @Test(arguments: [
    ("provider apply work nobody", ExitCode.notFound), ("provider apply work d", .usage),
    ("provider apply work ../a", .usage), ("provider apply none", .notFound),
  ])
  func onlyAccountsOfTheProviderAreMeant(_ line: String, _ code: ExitCode) throws {
    let home = try ProviderHome()
    try home.write(Self.file, "work")
    let play = try home.run(line) { stage in
      if !line.contains("none") {
        try stage.knowAccounts([Self.account("a"), Self.account("d", provider: "dev")])
      }
      try stage.expectEnd()
    }
    #expect(play.code == code)
  }
}
