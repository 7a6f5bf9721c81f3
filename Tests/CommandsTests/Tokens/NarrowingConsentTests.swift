import TestSupport
import Testing
import VaultInterface

@testable import Commands

/// The question before a token for fewer scopes that may narrow the grant.
struct NarrowingConsentTests {
  private static let words = ["token", "me", "--scope", "read"]

  @Test
  func aYesAtTheTerminalGoesOn() throws {
    let play = try Play.run(Self.words) { stage in
      #expect(try stage.expect(AccessTokenCall.self).narrow == nil)
      try stage.fail(.refused(message: "it may narrow the login", narrows: true))
      try stage.terminal.waitFor("it may narrow the login")
      try stage.terminal.waitFor("until the next login")
      try stage.terminal.waitFor("[y/N]")
      try stage.terminal.type("y\n")
      let again = try stage.expect(AccessTokenCall.self)
      #expect(again.narrow == true && again.scope == "read")
      // The person has agreed, so the vault keeps the consent.
      #expect(again.remember == true)
      // The presence check comes after it, and the consent stays.
      try stage.needPresence()
      _ = try stage.expect(CheckCall.self)
      try stage.reply(CheckEvent.passed)
      let last = try stage.expect(AccessTokenCall.self)
      #expect(last.narrow == true && last.prompt == "p1")
      try stage.reply(PresenceDialogueTests.token)
    }
    #expect(play.code == .done)
    #expect(play.out == "token-1\n")
  }

  @Test(arguments: ["n\n", "\n", "maybe\n"])
  func anythingElseEndsItBeforeAnotherCall(_ answer: String) throws {
    let play = try Play.run(Self.words) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(.refused(message: "it may narrow the login", narrows: true))
      try stage.terminal.waitFor("[y/N]")
      try stage.terminal.type(answer)
      try stage.expectEnd()
    }
    #expect(play.code == .interrupted)
    #expect(play.out.isEmpty)
  }

  @Test
  func wherePeopleCannotBeAskedItSaysWhatToDo() throws {
    let play = try Play.run(Self.words + ["--no-input"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(.refused(message: "it may narrow the login", narrows: true))
      try stage.expectEnd()
    }
    #expect(play.code == .promptNeeded)
    #expect(play.talk.contains("it may narrow the login"))
    #expect(play.talk.contains("refresh_scope = any"))
  }
}
