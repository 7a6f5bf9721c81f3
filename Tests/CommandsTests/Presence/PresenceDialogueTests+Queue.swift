import PresenceTerms
import TestSupport
import Testing
import VaultInterface

@testable import Commands

/// A prompt that waits for another one.
extension PresenceDialogueTests {
  /// A finger that is still on the reader must not answer the next prompt.
  @Test
  func afterAnotherPromptThisOneIsArmedOnRequest() throws {
    let play = try Play.run(["token", "me"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence()
      _ = try stage.expect(CheckCall.self)
      try stage.reply(CheckEvent.queued, continues: true)
      try stage.terminal.waitFor("waiting for the other prompt")
      // Enter neither chooses the password while no reader is armed, nor answers a later question.
      try stage.terminal.pressEnter()
      try stage.reply(CheckEvent.free)
      try stage.terminal.waitFor("The other prompt is over. Press Enter when you are ready")
      try stage.terminal.type("\n")
      try stage.terminal.waitFor("Touch the fingerprint reader to use account 'me'")
      #expect(try stage.expect(CheckCall.self).presenceMethod == .fingerprint)
      try stage.reply(CheckEvent.passed)
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(Self.token)
    }
    #expect(play.code == .done)
    #expect(play.out == "token-1\n")
    #expect(play.echoes)
  }

  @Test
  func aPasswordThatHadToWaitIsAskedForByItself() throws {
    let play = try Play.run(["presence", "test"]) { stage in
      _ = try stage.expect(TestPresenceCall.self)
      try stage.needPresence(.test, methods: [.password])
      _ = try stage.expect(CheckCall.self)
      try stage.reply(CheckEvent.queued, continues: true)
      try stage.terminal.waitFor("waiting for the other prompt")
      try stage.reply(CheckEvent.free)
      try stage.terminal.waitFor("The other prompt is over.")
      #expect(try stage.expect(CheckCall.self).presenceMethod == .password)
      try stage.reply(CheckEvent.ask(text: "Password: ", hidden: true))
      try stage.terminal.waitFor("Password: ")
      try stage.terminal.type("pw\n")
      _ = try stage.expect(RespondCall.self)
      try stage.reply(CheckEvent.passed)
      _ = try stage.expect(TestPresenceCall.self)
      try stage.reply(TestPresenceReply(method: "password"))
    }
    #expect(play.code == .done)
  }

  @Test
  func ctrlCWhileAnotherPromptIsOpenEndsTheWait() throws {
    let play = try Play.run(["token", "me"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence()
      _ = try stage.expect(CheckCall.self)
      try stage.reply(CheckEvent.queued, continues: true)
      try stage.terminal.waitFor("waiting for the other prompt")
      try stage.interrupt()
      try stage.expectEnd()
    }
    #expect(play.code == .interrupted)
    #expect(play.echoes)
  }

  /// The engine does so when the screen is locked: no call is open then.
  @Test
  func theEndOfTheConnectionEndsAnOpenQuestion() throws {
    let play = try Play.run(["presence", "test"]) { stage in
      _ = try stage.expect(TestPresenceCall.self)
      try stage.needPresence(.test, methods: [.password])
      _ = try stage.expect(CheckCall.self)
      try stage.reply(CheckEvent.ask(text: "Password: ", hidden: true))
      try stage.terminal.waitFor("Password: ")
      stage.hangUp()
    }
    #expect(play.code == .presence)
    #expect(play.talk.contains("the presence check was cancelled"), "\(play.talk)")
    #expect(play.echoes)
  }
}
