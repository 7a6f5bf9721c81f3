import Presence
import PresenceTerms
import Testing

/// Prompts that wait for another prompt, or share its check.
extension PromptBookTests {
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
  func aPromptThatIsMadeReadyIsNoneToJoinUntilItIsOpen() {
    var book = PromptBook()
    func isAsked(_ asked: PromptQuestion = question(), by connection: UInt64) -> Bool {
      book.isAsked(asked, otherwiseThanBy: connection, at: at(100))
    }
    func begin(_ name: String, _ asked: PromptQuestion) -> Bool {
      book.begin(name, question: asked, connection: 1, at: at(0))
    }
    func open(_ name: String) -> PromptBook.PromptState? {
      book.open(name, impossible: [], at: at(100))
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
    func opening(_ name: String, at location: String = "here") -> PromptBook.PromptState? {
      book.open(name, location: location, impossible: [], at: at(0))
    }
    #expect(opening("leader") == .asks)
    _ = try book.arm("leader", method: .fingerprint, connection: 0, at: at(0))
    book.pass("leader", at: at(1))
    #expect(opening("same") == .answered(by: "leader"))
    #expect(opening("elsewhere", at: "there") == .asks)
    #expect(opening("other") == .asks)
    #expect(opening("alone") == .asks)
  }

  @Test
  func noPromptJoinsACheckWhoseTimeIsOver() throws {
    for (second, arming) in [
      (PromptBook.lifetime, PromptBook.Arming.join("leader")),
      (PromptBook.lifetime + 1, .wait("leader")),
    ] {
      var book = PromptBook()
      book.open("leader", by: 1)
      _ = try book.arm("leader", method: .fingerprint, connection: 1, at: at(0))
      book.open("late", by: 2, at: second)
      let queued = book.queue("late", behind: "leader", at: at(second))
      #expect(queued == arming)
    }
  }

  @Test
  func aCheckThatIsShownElsewhereAnswersBothLocations() throws {
    var book = PromptBook()
    book.open("leader", location: "unit a", by: 1)
    let isMoved = book.move("leader", to: "desk", impossible: [.key], at: at(0))
    #expect(isMoved)
    #expect(book.isShownElsewhere("leader"))
    for (connection, location) in [(UInt64(2), "unit a"), (3, "desk"), (4, "unit b")] {
      book.open(location, location: location, by: connection)
      _ = book.begin("late \(location)", question: question(), connection: connection, at: at(0))
    }
    _ = try book.arm("leader", method: .fingerprint, connection: 1, at: at(1))
    for (name, arming) in [
      ("unit a", PromptBook.Arming.join("leader")), ("unit b", .wait("leader")),
    ] {
      let queued = book.queue(name, behind: "leader", at: at(1))
      #expect(queued == arming)
      book.endWait(name, at: at(1))
    }
    book.pass("leader", at: at(2))
    #expect(book.sameRequests(of: "leader").sorted() == ["desk", "unit a"])
    for (location, state) in [
      ("unit a", PromptBook.PromptState.answered(by: "leader")),
      ("desk", .answered(by: "leader")), ("unit b", .asks),
    ] {
      let opened = book.open("late \(location)", location: location, impossible: [], at: at(2))
      #expect(opened == state)
    }
  }

  /// If no agent shows it, its caller may show it itself.
  @Test
  func aPromptThatComesBackIsShownAtItsCallersLocation() {
    var book = PromptBook()
    book.open("p", location: "unit a")
    for (location, isElsewhere) in [("desk", true), ("unit a", false)] {
      let isMoved = book.move("p", to: location, impossible: [], at: at(0))
      #expect(isMoved)
      #expect(book.isShownElsewhere("p") == isElsewhere)
    }
  }

  @Test(arguments: [true, false])
  func anUnusedPassAnswersNoOtherPrompt(_ isGivenUp: Bool) throws {
    var book = PromptBook()
    for (number, name) in ["leader", "late"].enumerated() {
      _ = book.begin(name, question: question(), connection: UInt64(number), at: at(0))
    }
    func opening(_ name: String) -> PromptBook.PromptState? {
      book.open(name, impossible: [], at: at(0))
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
