import JSON
import PresenceTerms
import TestSupport
import Testing
import Varlink
import VaultInterface

@testable import Commands

/// The texts about enrolled fingers, and about waits.
struct FingerVerbTests {
  private static let reason =
    "enrolled fingers changed: added right-thumb (desktop); the system password is needed once"

  private static let facts = ListFingersReply(
    fingers: ["right-index"],
    reader: VaultReader(available: true, name: "R"),
    desktopFingers: ["right-thumb", "x\u{1b}[2J"],
    fingerSource: .namesOnly,
    fingerReason: reason
  )

  @Test
  func whyThePasswordIsNeededIsSaidBeforeItIsAsked() throws {
    let play = try Play.run(["token", "me"], columns: 200) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence(methods: [.password], reason: Self.reason)
      let check = try stage.call(CheckCall.self)
      #expect(try check.content(as: CheckCall.self).presenceMethod == .password)
      try stage.terminal.waitFor("E" + Self.reason.dropFirst() + ".")
      try stage.terminal.waitFor("Type the system password to use account 'me'")
      try stage.fail(.presenceFailed(.cancelled, message: "", methods: []))
    }
    #expect(play.code == .presence)
  }

  @Test(arguments: [["--no-input"], ["--no-input", "--json"]])
  func withoutAPromptTheReasonIsInTheError(_ options: [String]) throws {
    let play = try Play.run(["token", "me"] + options) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence(methods: [.password], reason: Self.reason)
      try stage.expectEnd()
    }
    #expect(play.code == .promptNeeded)
    #expect((play.out + play.talk).contains("use account 'me' (\(Self.reason))"))
  }

  @Test
  func aChangeThatIsSeenWhenTheReaderIsArmedIsSaid() throws {
    let play = try Play.run(["token", "me"], columns: 200) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence()
      _ = try stage.expect(CheckCall.self)
      try stage.fail(.presenceFailed(.denied, message: Self.reason, methods: [.password]))
      try stage.terminal.waitFor(
        "E" + Self.reason.dropFirst() + ". The system password is needed now."
      )
      #expect(try stage.expect(CheckCall.self).presenceMethod == .password)
      try stage.fail(.presenceFailed(.cancelled, message: "", methods: []))
    }
    #expect(play.code == .presence)
  }

  @Test
  func whoHasToWaitIsToldHowLong() throws {
    let play = try Play.run(["token", "me"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence(methods: [.password])
      #expect(try stage.call(CheckCall.self).more)
      try stage.reply(CheckEvent.waiting(seconds: 3), continues: true)
      try stage.terminal.waitFor("An earlier password was wrong. Try again in 3 seconds.")
      try stage.reply(CheckEvent.ask(text: "Password: ", hidden: true))
      try stage.terminal.waitFor("Password: ")
      try stage.terminal.type("wrong\n")
      #expect(try stage.call(RespondCall.self).more)
      try stage.reply(CheckEvent.waiting(seconds: 4), continues: true)
      try stage.terminal.waitFor("Wrong password. Try again in 4 seconds.")
      try stage.fail(.presenceFailed(.noMatch, message: "", methods: [.password]))
      try stage.terminal.waitFor("Wrong password. Try again.")
      _ = try stage.expect(CheckCall.self)
      try stage.fail(.presenceFailed(.cancelled, message: "", methods: []))
    }
    #expect(play.code == .presence)
  }

  @Test
  func ctrlCEndsTheWaitAtOnce() throws {
    let play = try Play.interrupted(["token", "me"]) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence(methods: [.password])
      _ = try stage.call(CheckCall.self)
      try stage.reply(CheckEvent.waiting(seconds: 10), continues: true)
      try stage.terminal.waitFor("Try again in 10 seconds.")
      try stage.interrupt()
      try stage.expectEnd()
    }
    #expect(play.code == .interrupted)
    #expect(try #require(play.millisecondsAfterInterrupt) <= 500)
  }

  @Test
  func theListTellsWhereEachFingerComesFrom() throws {
    let script: @Sendable (Stage) throws -> Void = { stage in
      _ = try stage.expect(ListFingersCall.self)
      try stage.reply(Self.facts)
    }
    let play = try Play.run(["fingers", "list"], script: script)
    #expect(
      play.out == """
        right-index
        right-thumb (desktop, names only)
        x\\u{1B}[2J (desktop, names only)

        """
    )
    #expect(play.talk.contains(Self.reason))
    let json = try Play.run(["fingers", "list", "--json"], script: script)
    guard case .object(let object) = try JSONReader.read(Array(json.out.utf8)) else {
      Issue.record("no object")
      return
    }
    #expect(
      object.members.map(\.name) == [
        "fingers", "desktop_fingers", "finger_source", "finger_reason", "reader",
      ]
    )
    #expect(try object.string("finger_source") == "names_only")
    #expect(object["fingers"] == ["right-index"])
  }

  @Test
  func aFingerIsDeletedAfterThePassword() throws {
    let play = try Play.run(["fingers", "delete", "right-index"]) { stage in
      #expect(try stage.expect(DeleteFingerCall.self).prompt == nil)
      try stage.needPresence(.deleteFinger, methods: [.password])
      _ = try stage.expect(CheckCall.self)
      try stage.terminal.waitFor("Type the system password to delete a finger")
      try stage.reply(CheckEvent.passed)
      #expect(
        try stage.expect(DeleteFingerCall.self)
          == DeleteFingerCall(finger: "right-index", prompt: "p1")
      )
      try stage.reply(DeleteFingerReply(fingers: ["left-thumb"]))
    }
    #expect(play.code == .done)
    #expect(play.talk == "right-index is deleted; left: left-thumb\n")
  }

  @Test(arguments: [
    (VaultError.noSuchFinger(finger: "left-thumb"), ExitCode.notFound),
    (.refused(message: "it is the desktop's"), .refused),
  ])
  func aFingerThatIsNotEnrolledHereIsNotDeleted(_ error: VaultError, _ code: ExitCode) throws {
    let play = try Play.run(["fingers", "delete", "left-thumb"]) { stage in
      _ = try stage.expect(DeleteFingerCall.self)
      try stage.fail(error)
    }
    #expect(play.code == code)
  }
}
