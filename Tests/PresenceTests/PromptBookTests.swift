import Presence
import PresenceTerms
import System
import Testing

@Suite
struct PromptBookTests {
  @Test
  func aPassedPromptGivesOneProofAndIsGone() throws {
    var book = try passedBook()
    let proof = try book.takeProof("p", question: question(), connection: 1, at: at(30))
    #expect(
      try proof.spend(for: .refresh, account: account, connection: 1, at: at(30))
        == .check(.fingerprint)
    )
    #expect(!book.contains("p"))
    #expect(throws: PresenceFailure.self) {
      _ = try book.takeProof("p", question: question(), connection: 1, at: at(30))
    }
  }

  @Test
  func nobodyElseGetsTheProof() throws {
    var book = try passedBook()
    let wrong: [(PromptQuestion, UInt64)] = [
      (question(), 2), (question(of: otherAccount), 1), (question(of: nil), 1),
      (question(user: 1001), 1), (question(.disable), 1), (question(.unlock), 1),
    ]
    for (question, connection) in wrong {
      #expect(throws: PresenceFailure.self) {
        _ = try book.takeProof("p", question: question, connection: connection, at: at(1))
      }
      #expect(throws: PresenceFailure.self) {
        _ = try book.status(of: "p", question: question, connection: connection, at: at(1))
      }
    }
    // The owner of the proof can still take it.
    _ = try book.takeProof("p", question: question(), connection: 1, at: at(1))
      .spend(for: .refresh, account: account, connection: 1, at: at(1))
  }

  @Test
  func aProofThatIsTakenTooLateIsLost() throws {
    var book = try passedBook()
    #expect(throws: PresenceFailure.timedOut) {
      _ = try book.status(of: "p", question: question(), connection: 1, at: at(31))
    }
    #expect(throws: PresenceFailure.timedOut) {
      _ = try book.takeProof("p", question: question(), connection: 1, at: at(31))
    }
    #expect(!book.contains("p"))
  }

  @Test
  func aProofThatIsSpentTooLateIsLost() throws {
    var book = try passedBook()
    #expect(throws: PresenceFailure.timedOut) {
      let proof = try book.takeProof("p", question: question(), connection: 1, at: at(30))
      _ = try proof.spend(for: .refresh, account: account, connection: 1, at: at(31))
    }
  }

  @Test
  func nothingIsPassedThatIsNotArmed() throws {
    var book = PromptBook()
    book.open("p")
    book.pass("p", at: at(0))
    #expect(try book.status(of: "p", question: question(), connection: 1, at: at(0)) == .open)
    _ = try book.arm("p", method: .fingerprint, connection: 1, at: at(1))
    _ = book.fail("p", with: .cancelled, lockout: FingerLockout(), at: at(2))
    book.pass("p", at: at(2))
    #expect(throws: PresenceFailure.self) {
      _ = try book.takeProof("p", question: question(), connection: 1, at: at(2))
    }
  }

  @Test
  func aResultOfAnotherMethodOrOfALaterTimeIsNotTheOneThatRuns() throws {
    var book = PromptBook()
    book.open("p")
    #expect(!book.isArmed("p", method: .fingerprint, at: at(0)))
    _ = try book.arm("p", method: .fingerprint, connection: 1, at: at(0))
    #expect(book.isArmed("p", method: .fingerprint, at: at(30)))
    #expect(!book.isArmed("p", method: .password, at: at(0)))
    #expect(!book.isArmed("p", method: .fingerprint, at: at(31)))
    #expect(!book.isArmed("q", method: .fingerprint, at: at(0)))
  }

  @Test
  func aSecondQuestionIsBusyAndNotQueued() throws {
    var book = PromptBook()
    for (name, asked, connection) in [
      ("p", question(), UInt64(1)), ("q", question(of: otherAccount), 2),
      ("r", question(.unlock), 3), ("s", question(user: 1001), 4),
    ] {
      book.open(name, asked, by: connection)
    }
    _ = try book.arm("p", method: .fingerprint, connection: 1, at: at(0))
    for (name, connection) in [("q", UInt64(2)), ("r", 3), ("s", 4)] {
      #expect(throws: PresenceFailure.busy("another presence prompt is open")) {
        _ = try book.arm(name, method: .password, connection: connection, at: at(1))
      }
    }
    book.pass("p", at: at(2))
    #expect(try book.arm("q", method: .password, connection: 2, at: at(3)) == .run)
  }

  /// It stays as long as the prompt ahead of it, however often that one is renewed, and cannot be
  /// armed.
  @Test
  func aQuestionThatMayWaitIsTheNextOne() throws {
    var book = PromptBook()
    for (name, asked, connection) in [
      ("p", question(), UInt64(1)), ("q", question(of: otherAccount), 2),
    ] {
      book.open(name, asked, by: connection)
    }
    func arm(_ seconds: Int64) throws -> PromptBook.Arming {
      try book.arm("q", method: .fingerprint, connection: 2, mayWait: true, at: at(seconds))
    }
    #expect(try book.arm("p", method: .fingerprint, connection: 1, at: at(0)) == .run)
    #expect(try arm(1) == .wait("p"))
    book.extend("p", at: at(25))
    book.extend("p", at: at(50))
    #expect(book.expire(at: at(79)).isEmpty)
    #expect(!book.isArmed("q", method: .fingerprint, at: at(79)))
    #expect(try arm(79) == .wait("p"))
    book.pass("p", at: at(79))
    #expect(
      try book.status(of: "q", question: question(of: otherAccount), connection: 2, at: at(80))
        == .open
    )
    book.endWait("q", at: at(80))
    #expect(book.deadline(of: "q") == at(80 + PromptBook.lifetime))
    #expect(try arm(81) == .run)
    #expect(book.isArmed("q", method: .fingerprint, at: at(81)))
  }

  @Test(arguments: PresencePurpose.allCases)
  func onlyUsingATokenAndUnlockingAreShared(_ purpose: PresencePurpose) throws {
    var book = PromptBook()
    for connection in UInt64(1)...2 {
      book.open("p\(connection)", question(purpose), by: connection)
    }
    _ = try book.arm("p1", method: .password, connection: 1, at: at(0))
    if purpose == .refresh || purpose == .unlock {
      #expect(try book.arm("p2", method: .password, connection: 2, at: at(1)) == .join("p1"))
      book.pass("p1", at: at(2))
      // One check gives one proof.
      #expect(throws: PresenceFailure.self) {
        _ = try book.takeProof("p2", question: question(purpose), connection: 2, at: at(2))
      }
    } else {
      #expect(throws: PresenceFailure.self) {
        _ = try book.arm("p2", method: .password, connection: 2, at: at(1))
      }
    }
  }

  @Test
  func whoWaitsForALongPasswordCheckIsNotForgotten() throws {
    var book = PromptBook()
    for connection in UInt64(1)...2 {
      book.open("p\(connection)", by: connection)
    }
    _ = try book.arm("p1", method: .password, connection: 1, at: at(0))
    _ = try book.arm("p2", method: .fingerprint, connection: 2, at: at(1))
    for step in 1...8 {
      book.extend("p1", at: at(Int64(step) * 25))
      #expect(book.expire(at: at(Int64(step) * 25 + 24)) == [])
    }
    book.pass("p1", at: at(220))
    #expect(
      try book.status(of: "p2", question: question(), connection: 2, at: at(221))
        == .joined("p1")
    )
  }

  @Test
  func aFingerNeverProvesWhatNeedsThePassword() throws {
    var book = PromptBook()
    let methods = book.open("p", question(.enroll, of: nil))
    #expect(methods == [.password])
    #expect(throws: PresenceFailure.self) {
      _ = try book.arm("p", method: .fingerprint, connection: 1, at: at(0))
    }
  }

  @Test
  func aLockoutTakesTheFingerAwayAndLeavesThePassword() throws {
    var book = PromptBook()
    let methods = book.open("p", fingerprintPossible: false)
    #expect(methods == [.password])
    #expect(throws: PresenceFailure.lockedOut) {
      _ = try book.arm("p", method: .fingerprint, connection: 1, at: at(0))
    }
    book.open("q")
    _ = try book.arm("q", method: .fingerprint, connection: 1, at: at(0))
    let left = book.fail("q", with: .noMatch, lockout: FingerLockout(failures: 5), at: at(1))
    #expect(left == [.password])
  }

  @Test(
    arguments: [
      (PresenceOutcome.noMatch, true), (.timedOut, true), (.cancelled, false),
      (.notAvailable, false), (.notEnrolled, false), (.busy, false),
      (.denied, false), (.lockedOut, false),
    ]
  )
  func aFailedFingerLeavesThePassword(_ outcome: PresenceOutcome, _ again: Bool) throws {
    var book = PromptBook()
    book.open("p")
    _ = try book.arm("p", method: .fingerprint, connection: 1, at: at(0))
    let left = book.fail("p", with: outcome, lockout: FingerLockout(), at: at(1))
    #expect(left == (again ? [.fingerprint, .password] : [.password]))
  }

  @Test
  func aLateFailureDoesNotProlongAProof() throws {
    var book = try passedBook()
    _ = book.fail("p", with: .cancelled, lockout: FingerLockout(), at: at(20))
    #expect(throws: PresenceFailure.timedOut) {
      _ = try book.takeProof("p", question: question(), connection: 1, at: at(31))
    }
  }

  @Test
  func aConnectionHasSoManyPromptsAndNoMore() {
    var book = PromptBook()
    func open(_ name: String, _ connection: UInt64, _ second: Int64) -> [PresenceMethod]? {
      book.open(name, by: connection, at: second)
    }
    for number in 0..<PromptBook.mostPerConnection { #expect(open("\(number)", 1, 0) != nil) }
    #expect(open("more", 1, 30) == nil)
    #expect(open("other", 2, 30) != nil)
    #expect(open("later", 1, 31) != nil)
  }

  @Test
  func whatIsOverdueIsNamedOnceAndGone() throws {
    var book = try passedBook()
    book.open("q", by: 2)
    #expect(book.expire(at: at(30)) == [])
    #expect(book.expire(at: at(31)).sorted() == ["p", "q"])
    #expect(book.expire(at: at(31)) == [])
    #expect(!book.contains("p") && !book.contains("q"))
  }

  @Test
  func aRunningCheckIsLeftTheTimeToEndItself() throws {
    var book = PromptBook()
    book.open("p")
    _ = try book.arm("p", method: .fingerprint, connection: 1, at: at(0))
    // The reader's own 30 s end a moment after the prompt's: the password must still be possible.
    #expect(book.expire(at: at(31)) == [])
    #expect(!book.isArmed("p", method: .fingerprint, at: at(31)))
    let left = book.fail("p", with: .timedOut, lockout: FingerLockout(), at: at(31))
    #expect(left == [.fingerprint, .password])
    _ = try book.arm("p", method: .password, connection: 1, at: at(32))
    #expect(book.expire(at: at(62 + PromptBook.grace + 1)) == ["p"])
  }

  @Test
  func onlyItsOwnConnectionArmsOrClosesAPrompt() throws {
    var book = PromptBook()
    book.open("p")
    #expect(throws: PresenceFailure.self) {
      _ = try book.arm("p", method: .password, connection: 2, at: at(0))
    }
    book.close("p", connection: 2)
    #expect(book.contains("p"))
    #expect(book.connection(of: "p") == 1)
    #expect(book.names(of: 1) == ["p"] && book.names(of: 2) == [])
    book.close("p", connection: 1)
    #expect(!book.contains("p"))
  }

  @Test
  func anExpiredPromptCannotBeArmed() throws {
    var book = PromptBook()
    book.open("p")
    #expect(throws: PresenceFailure.timedOut) {
      _ = try book.arm("p", method: .password, connection: 1, at: at(31))
    }
  }

  @Test
  func aPromptThatIsMadeReadyIsNoneToJoinUntilItIsOpen() {
    var book = PromptBook()
    func isAsked(_ asked: PromptQuestion = question(), by connection: UInt64) -> Bool {
      book.isAsked(asked, otherwiseThanBy: connection, at: at(100))
    }
    func begin(_ name: String, _ asked: PromptQuestion) -> Bool {
      book.begin(name, question: asked, connection: 1, at: at(0))
    }
    func open(_ name: String) -> PromptBook.Opening? {
      book.open(name, fingerprintPossible: true, at: at(100))
    }
    func expired() -> [String] { book.expire(at: at(1000)) }
    #expect(!isAsked(by: 2))
    #expect(begin("p", question()))
    // However long it takes, only its maker gives it up.
    #expect(expired() == [])
    // It has not counted, and may never be shown, so it pays for no other prompt.
    #expect(!isAsked(by: 2))
    #expect(begin("r", question()))
    #expect(open("r") == .asks)
    #expect(isAsked(by: 2))
    // Its own connection does not join it, and it does not answer other requests.
    #expect(!isAsked(by: 1))
    #expect(!isAsked(question(of: otherAccount), by: 2))
    book.close("r", connection: 1)
    #expect(begin("q", question(.disable)))
    #expect(!isAsked(question(.disable), by: 2))
    #expect(throws: PresenceFailure.self) {
      _ = try book.arm("p", method: .password, connection: 1, at: at(0))
    }
    book.endBeginning("p")
    #expect(!isAsked(by: 2))
    #expect(open("p") == nil)
    // A prompt that is open is not ended by that.
    #expect(open("q") == .asks)
    book.endBeginning("q")
    #expect(book.contains("q"))
  }

  @Test
  func aPassedCheckAnswersThoseOfItsPlaceWhoAreAboutToBeAsked() throws {
    var book = PromptBook()
    let asked: [(String, PromptQuestion)] = [
      ("leader", question()), ("same", question()), ("elsewhere", question()),
      ("other", question(of: otherAccount)), ("alone", question(.disable)),
    ]
    for (number, (name, question)) in asked.enumerated() {
      _ = book.begin(name, question: question, connection: UInt64(number), at: at(0))
    }
    func opening(_ name: String, at location: String = "here") -> PromptBook.Opening? {
      book.open(name, location: location, fingerprintPossible: true, at: at(0))
    }
    #expect(opening("leader") == .asks)
    _ = try book.arm("leader", method: .fingerprint, connection: 0, at: at(0))
    book.pass("leader", at: at(1))
    #expect(opening("same") == .answered(by: "leader"))
    #expect(opening("elsewhere", at: "there") == .asks)
    #expect(opening("other") == .asks)
    #expect(opening("alone") == .asks)
  }

  @Test(arguments: [true, false])
  func whatBroughtNothingAnswersNobody(_ isGivenUp: Bool) throws {
    var book = PromptBook()
    for (number, name) in ["leader", "late"].enumerated() {
      _ = book.begin(name, question: question(), connection: UInt64(number), at: at(0))
    }
    func opening(_ name: String) -> PromptBook.Opening? {
      book.open(name, fingerprintPossible: true, at: at(0))
    }
    #expect(opening("leader") == .asks)
    _ = try book.arm("leader", method: .fingerprint, connection: 0, at: at(0))
    book.pass("leader", at: at(1))
    if isGivenUp {
      book.close("leader", connection: 0)
    } else {
      let gone = book.expire(at: at(100))
      #expect(gone == ["leader"])
    }
    #expect(opening("late") == .asks)
  }
}
