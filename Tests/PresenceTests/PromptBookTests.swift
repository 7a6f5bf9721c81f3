import Presence
import PresenceTerms
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
  func noOtherCallerGetsTheProof() throws {
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
    let methods = book.open("p", impossible: [.fingerprint, .key])
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

  @Test(arguments: PresenceOutcome.allCases)
  func aSystemThatChecksNoPasswordIsNotAskedAgain(_ outcome: PresenceOutcome) throws {
    var book = PromptBook()
    book.open("p")
    _ = try book.arm("p", method: .password, connection: 1, at: at(0))
    let left = book.fail("p", with: outcome, lockout: FingerLockout(), at: at(1))
    let isFinal = outcome == .notAvailable || outcome == .denied
    #expect(left == (isFinal ? [.fingerprint] : [.fingerprint, .password]))
    book = PromptBook()
    book.open("p")
    _ = try book.arm("p", method: .password, connection: 1, at: at(0))
    let afterLoss = book.fail("p", with: outcome, isLost: true, lockout: FingerLockout(), at: at(1))
    #expect(afterLoss == [.fingerprint, .password])
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

  /// A program that begins the check again after each timeout does not keep the reader.
  @Test
  func aDeviceIsAskedAgainForFiveMinutesOnly() throws {
    var book = PromptBook()
    book.open("p")
    var now: Int64 = 0
    while now <= PromptBook.longestUse {
      #expect(try book.arm("p", method: .fingerprint, connection: 1, at: at(now)) == .run)
      _ = book.fail("p", with: .timedOut, lockout: FingerLockout(), at: at(now + 29))
      now += 30
    }
    #expect(throws: PresenceFailure.timedOut) {
      _ = try book.arm("p", method: .fingerprint, connection: 1, at: at(now))
    }
    #expect(try book.arm("p", method: .password, connection: 1, at: at(now)) == .run)
  }
}
