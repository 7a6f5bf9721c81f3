import PresenceTerms
import SecretMemory
import TestSupport
import Testing
import Varlink
import VaultInterface

@testable import Commands

struct PresenceDialogueTests {
  static let token = AccessTokenReply(
    account: "me",
    accessToken: "token-1",
    tokenType: "Bearer",
    shorterThanRequested: false
  )

  /// The text of an answer, which only a test may read.
  static func text(_ call: RespondCall) -> String {
    call.text.bytes.withBytes { span in
      String(decoding: (0..<span.count).map { span[$0] }, as: UTF8.self)
    }
  }

  @Test
  func aFingerReleasesTheToken() throws {
    let play = try Play.run(["token", "me"]) { stage in
      #expect(try stage.expect(AccessTokenCall.self).prompt == nil)
      try stage.needPresence()
      let check = try stage.call(CheckCall.self)
      #expect(check.more)
      #expect(try check.content(as: CheckCall.self).presenceMethod == .fingerprint)
      // The purpose of the proof is on the screen before the reader is armed.
      try stage.terminal.waitFor("Touch the fingerprint reader to use account 'me'")
      #expect(try !stage.terminal.echoes())
      try stage.reply(CheckEvent.waiting(), continues: true)
      try stage.terminal.waitFor("still waiting for the reader")
      try stage.reply(CheckEvent.retry(.tooShort), continues: true)
      try stage.terminal.waitFor("too short: keep the finger on the reader a little longer")
      try stage.reply(CheckEvent.passed)
      #expect(try stage.expect(AccessTokenCall.self).prompt == "p1")
      try stage.reply(Self.token)
    }
    #expect(play.code == .done)
    #expect(play.out == "token-1\n")
    #expect(play.talk.isEmpty)
    #expect(play.echoes)
    #expect(!play.screen.contains("token-1"))
    #expect(play.screen.hasSuffix("\r\u{1B}[K"))
  }

  @Test
  func enterSwitchesToThePasswordWhichIsNeverShown() throws {
    let play = try Play.run(["token", "me"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence()
      _ = try stage.expect(CheckCall.self)
      try stage.terminal.waitFor("press Enter for your password.")
      try stage.terminal.type("\n")
      #expect(try stage.expect(CheckCall.self).presenceMethod == .password)
      try stage.fail(.presenceFailed(.cancelled, message: "", methods: [.password]))
      try stage.reply(CheckEvent.ask(text: "Password: ", hidden: true))
      try stage.terminal.waitFor("Password: ")
      #expect(try !stage.terminal.echoes())
      try stage.terminal.type("correct horse\n")
      #expect(Self.text(try stage.expect(RespondCall.self)) == "correct horse")
      try stage.reply(CheckEvent.passed)
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(Self.token)
    }
    #expect(play.code == .done)
    #expect(play.out == "token-1\n")
    #expect(!play.screen.contains("horse"))
    #expect(play.echoes)
  }

  @Test
  func aFingerThatMatchesAtTheLastMomentStillCounts() throws {
    let play = try Play.run(["token", "me"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence()
      _ = try stage.expect(CheckCall.self)
      try stage.terminal.waitFor("press Enter for your password.")
      try stage.terminal.type("\n")
      _ = try stage.expect(CheckCall.self)
      try stage.reply(CheckEvent.passed)
      #expect(try stage.expect(AccessTokenCall.self).prompt == "p1")
      // The password check that was never begun ends before the repeated call is answered.
      try stage.fail(.presenceFailed(.cancelled, message: "", methods: []))
      try stage.reply(Self.token)
    }
    #expect(play.code == .done)
    #expect(play.out == "token-1\n")
  }

  @Test
  func afterFailedFingersThePasswordIsOfferedInTheSameDialogue() throws {
    let play = try Play.run(["presence", "disable", "me"]) { stage in
      _ = try stage.expect(DisablePresenceCall.self)
      try stage.needPresence(.disable)
      _ = try stage.expect(CheckCall.self)
      try stage.fail(
        .presenceFailed(.noMatch, message: "1 try left", methods: [.fingerprint, .password])
      )
      try stage.terminal.waitFor("The finger did not match (1 try left). Touch the reader again,")
      #expect(try stage.expect(CheckCall.self).presenceMethod == .fingerprint)
      try stage.fail(.presenceFailed(.lockedOut, message: "", methods: [.password]))
      try stage.terminal.waitFor("needed now.")
      #expect(try stage.expect(CheckCall.self).presenceMethod == .password)
      try stage.reply(CheckEvent.ask(text: "Password: ", hidden: true))
      try stage.terminal.waitFor("Password: ")
      try stage.terminal.type("wrong\n")
      _ = try stage.expect(RespondCall.self)
      try stage.fail(.presenceFailed(.noMatch, message: "", methods: [.password]))
      try stage.terminal.waitFor("Wrong password. Try again.")
      _ = try stage.expect(CheckCall.self)
      try stage.fail(.presenceFailed(.denied, message: "account locked", methods: []))
      try stage.expectEnd()
    }
    #expect(play.code == .presence)
    #expect(play.talk.contains("thumblatch: error: the presence check was denied (account locked)"))
    #expect(play.echoes)
  }

  @Test
  func whereOnlyThePasswordIsOfferedItIsAskedAtOnce() throws {
    let play = try Play.run(["presence", "test"]) { stage in
      _ = try stage.expect(TestPresenceCall.self)
      try stage.needPresence(.test, methods: [.password])
      #expect(try stage.expect(CheckCall.self).presenceMethod == .password)
      try stage.terminal.waitFor("Type the system password to test the presence check")
      try stage.reply(CheckEvent.ask(text: "One-time code: ", hidden: false))
      try stage.terminal.waitFor("One-time code: ")
      try stage.terminal.type("123456\n")
      #expect(Self.text(try stage.expect(RespondCall.self)) == "123456")
      try stage.reply(CheckEvent.passed)
      _ = try stage.expect(TestPresenceCall.self)
      try stage.reply(TestPresenceReply(method: "password"))
    }
    #expect(play.code == .done)
    #expect(play.talk == "the presence check passed, by system password\n")
    #expect(!play.screen.contains("press Enter for your password."))
  }

  @Test(arguments: [
    (PresenceOutcome.cancelled, ExitCode.presence), (.timedOut, .presence), (.noMatch, .presence),
    (.denied, .presence), (.busy, .busy), (.notAvailable, .presence), (.notEnrolled, .presence),
    (.lockedOut, .presence),
  ])
  func aCheckThatEndsWithoutAnotherMethodIsTheExitStatus(
    _ outcome: PresenceOutcome,
    _ code: ExitCode
  ) throws {
    let play = try Play.run(["token", "me"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence()
      _ = try stage.expect(CheckCall.self)
      try stage.fail(.presenceFailed(outcome, message: "", methods: []))
      try stage.expectEnd()
    }
    #expect(play.code == code)
    #expect(play.out.isEmpty)
    #expect(play.echoes)
  }

  @Test
  func interruptingTheReaderEndsAtOnceWithTheTerminalRestored() throws {
    let play = try Play.interrupted(["token", "me"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence()
      _ = try stage.expect(CheckCall.self)
      try stage.terminal.waitFor("press Enter for your password.")
      #expect(try !stage.terminal.echoes())
      try stage.interrupt()
      try stage.expectEnd()
    }
    #expect(play.code == .interrupted)
    #expect(play.echoes)
    #expect(try #require(play.millisecondsAfterInterrupt) <= 100)
  }

  @Test
  func interruptingThePasswordRestoresEcho() throws {
    let play = try Play.interrupted(["token", "me"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence(methods: [.password])
      _ = try stage.expect(CheckCall.self)
      try stage.reply(CheckEvent.ask(text: "Password: ", hidden: true))
      try stage.terminal.waitFor("Password: ")
      try stage.terminal.type("half a pass")
      #expect(try !stage.terminal.echoes())
      try stage.interrupt()
      try stage.expectEnd()
    }
    #expect(play.code == .interrupted)
    #expect(play.echoes)
    #expect(!play.screen.contains("half"))
    #expect(try #require(play.millisecondsAfterInterrupt) <= 100)
  }

  @Test
  func interruptingARunningRefreshEndsAtOnce() throws {
    let play = try Play.interrupted(["token", "me"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.interrupt()
      try stage.expectEnd()
    }
    #expect(play.code == .interrupted)
    #expect(try #require(play.millisecondsAfterInterrupt) <= 100)
  }

  @Test
  func theEndOfTheInputCancels() throws {
    let play = try Play.run(["token", "me"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence(methods: [.password])
      _ = try stage.expect(CheckCall.self)
      try stage.reply(CheckEvent.ask(text: "Password: ", hidden: true))
      try stage.terminal.waitFor("Password: ")
      try stage.terminal.type("\u{4}")
      try stage.expectEnd()
    }
    #expect(play.code == .presence)
    #expect(play.echoes)
  }

  @Test
  func aPasswordWithNULIsRefused() throws {
    let play = try Play.run(["token", "me"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence(methods: [.password])
      _ = try stage.expect(CheckCall.self)
      try stage.reply(CheckEvent.ask(text: "Password: ", hidden: true))
      try stage.terminal.waitFor("Password: ")
      try stage.terminal.type("a\u{0}b\n")
      try stage.expectEnd()
    }
    #expect(play.code == .usage)
    #expect(play.talk.contains("NUL"))
    #expect(play.echoes)
  }

  @Test
  func aPasswordOfTwoKilobytesIsRefused() throws {
    let play = try Play.run(["token", "me"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence(methods: [.password])
      _ = try stage.expect(CheckCall.self)
      try stage.reply(CheckEvent.ask(text: "Password: ", hidden: true))
      try stage.terminal.waitFor("Password: ")
      try stage.terminal.type(String(repeating: "x", count: 2048) + "\n")
      try stage.expectEnd()
    }
    #expect(play.code == .usage)
    #expect(play.echoes)
  }

  @Test(arguments: [(["token", "me", "--no-input"], true), (["token", "me"], false)])
  func whereNothingCanBeAskedTheErrorSaysWhatWouldHaveBeen(
    _ words: [String],
    _ terminal: Bool
  ) throws {
    let play = try Play.run(words, terminal: terminal) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence()
      try stage.expectEnd()
    }
    #expect(play.code == .promptNeeded)
    #expect(play.talk.contains("a presence check to use account 'me' is needed"))
    #expect(play.screen.isEmpty)
  }

  @Test
  func anEngineThatNeverStopsAskingIsNotObeyedForEver() throws {
    let play = try Play.run(["token", "me"]) { stage in
      for _ in 0..<4 {
        _ = try stage.expect(AccessTokenCall.self)
        try stage.needPresence()
        _ = try stage.expect(CheckCall.self)
        try stage.reply(CheckEvent.passed)
      }
      try stage.expectEnd()
    }
    #expect(play.code == .presence)
  }
}
