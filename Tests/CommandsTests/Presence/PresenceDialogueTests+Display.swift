import PresenceTerms
import TestSupport
import Testing
import Varlink
import VaultInterface

@testable import Commands

/// The text that the terminal shows.
extension PresenceDialogueTests {
  @Test
  func aRequesterCannotForgeThePrompt() throws {
    let hostile =
      "x\u{1B}[2J\r\nTouch the reader to test\u{202E}" + String(repeating: "y", count: 10_240)
    let play = try Play.run(["token", "me"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence(requester: hostile)
      _ = try stage.expect(CheckCall.self)
      try stage.terminal.waitFor("press Enter for your password.")
      try stage.interrupt()
    }
    #expect(!play.screen.contains("\u{1B}[2J"))
    #expect(!play.screen.contains("\u{202E}"))
    #expect(play.screen.contains("\\u{1B}[2J\\u{D}\\u{A}"))
    #expect(play.screen.count < 1000)
  }

  @Test
  func whatIsAskedForIsShownWholeOrNotAtAll() throws {
    let long = String(repeating: "a ", count: 999) + "zz"
    let play = try Play.run(["token", "me"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence(methods: [.fingerprint], detail: long)
      try stage.terminal.waitFor("zz)")
      _ = try stage.call(CheckCall.self)
      try stage.reply(CheckEvent.passed)
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(Self.token)
    }
    #expect(play.code == .done)
    let refused = try Play.run(["token", "me"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence(methods: [.fingerprint], detail: long + "z")
      try stage.expectEnd()
    }
    #expect(refused.code == .usage)
    #expect(refused.talk.contains("too long to be shown"))
  }

  @Test(arguments: [UInt16(40), 80, 120])
  func noLineIsWiderThanTheTerminal(_ columns: UInt16) throws {
    let play = try Play.run(["token", "me"], columns: columns) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence()
      _ = try stage.expect(CheckCall.self)
      try stage.reply(CheckEvent.retry(.tooShort), continues: true)
      try stage.terminal.waitFor("too short")
      try stage.interrupt()
    }
    let plain = play.screen.replacing("\u{1B}[K", with: "")
    for line in plain.split(whereSeparator: { $0.isNewline || $0 == "\r" }) {
      #expect(line.count <= Int(columns))
    }
  }

  @Test
  func aDumbTerminalGetsNoEscapes() throws {
    let play = try Play.run(["token", "me"], kind: "dumb") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence()
      _ = try stage.expect(CheckCall.self)
      try stage.reply(CheckEvent.waiting(), continues: true)
      try stage.terminal.waitFor("still waiting for the reader")
      try stage.interrupt()
    }
    #expect(!play.screen.contains("\u{1B}"))
  }

  @Test
  func messagesOfPAMAreLinesAboveTheQuestion() throws {
    let play = try Play.run(["presence", "test"]) { stage in
      _ = try stage.expect(TestPresenceCall.self)
      try stage.needPresence(.test, methods: [.password])
      _ = try stage.expect(CheckCall.self)
      let text = "Your password ends in 3 days.\nSystem password for ada: "
      try stage.reply(CheckEvent.ask(text: text, hidden: true))
      try stage.terminal.waitFor("System password for ada: ")
      try stage.interrupt()
    }
    let lines = play.screen.split(whereSeparator: \.isNewline)
    #expect(lines.contains("Your password ends in 3 days."))
    #expect(lines.contains { $0.hasPrefix("System password for ada:") })
  }

  @Test
  func enrollmentIsShownStageByStage() throws {
    let play = try Play.run(["fingers", "enroll", "right-index"]) { stage in
      _ = try stage.expect(EnrollFingerCall.self)
      try stage.needPresence(.enroll, methods: [.password])
      _ = try stage.expect(CheckCall.self)
      try stage.reply(CheckEvent.ask(text: "Password: ", hidden: true))
      try stage.terminal.waitFor("Password: ")
      try stage.terminal.type("pw\n")
      _ = try stage.expect(RespondCall.self)
      try stage.reply(CheckEvent.passed)
      let call = try stage.call(EnrollFingerCall.self)
      #expect(call.more)
      func event(_ event: EnrollEvent, _ number: Int, _ hint: ScanHint? = nil) throws {
        try stage.reply(
          EnrollFingerReply(
            event: event,
            finger: "right-index",
            stage: number,
            stages: 5,
            hint: hint
          ),
          continues: event != .done
        )
      }
      try event(.waiting, 0)
      try stage.terminal.waitFor("Touch the reader 5 times with right-index")
      try event(.stage, 2)
      try stage.terminal.waitFor("[##---] 2 of 5: good")
      try event(.retry, 2, .centerFinger)
      try stage.terminal.waitFor("[##---] 2 of 5: not in the middle")
      try event(.done, 5)
    }
    #expect(play.code == .done)
    #expect(play.talk == "right-index is enrolled\n")
  }

  /// A PAM module may wait for a touch, or give a warning although the password is right.
  @Test
  func whatAModuleOfTheSystemSaysIsShown() throws {
    let play = try Play.run(["token", "me"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence(methods: [.password])
      _ = try stage.expect(CheckCall.self)
      try stage.reply(CheckEvent.says(text: "Place your finger."), continues: true)
      try stage.terminal.waitFor("Place your finger.")
      try stage.reply(CheckEvent.ask(text: "Password: ", hidden: true))
      try stage.answer("Password: ", "hunter2")
      let answer = try stage.call(RespondCall.self)
      #expect(answer.more)
      try stage.reply(CheckEvent.says(text: "Expires\u{1B}[2J soon."), continues: true)
      try stage.reply(CheckEvent.passed)
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(Self.token)
    }
    #expect(play.code == .done && play.out == "token-1\n")
    #expect(play.screen.contains("Expires\\u{1B}[2J soon.") && !play.screen.contains("hunter2"))
  }
}
