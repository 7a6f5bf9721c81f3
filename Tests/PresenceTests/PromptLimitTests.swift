import Presence
import PresenceTerms
import System
import Testing

@Suite
struct PromptLimitTests {
  /// How many of `count` requests pass, spread evenly over some seconds from a moment on.
  private func passing(
    _ limit: inout PromptLimit,
    _ count: Int64,
    from start: Int64 = 0,
    over seconds: Int64,
    _ ask: (Int64) -> PromptQuestion = { _ in question() },
    joins: Bool = false
  ) -> Int {
    var passed = 0
    for number in 0..<count {
      let now = BootInstant(
        nanoseconds: start * 1_000_000_000 + number * seconds * 1_000_000_000 / count
      )
      if limit.take(ask(number), joins: joins, at: now) == nil { passed += 1 }
    }
    return passed
  }

  @Test
  func ofAFloodThreeComeThroughAndThenOneEachFifteenSeconds() {
    var limit = PromptLimit()
    #expect(passing(&limit, 500, over: 10) == 3)
    #expect(passing(&limit, 5000, from: 10, over: 100) == 7)
    // After a quiet time three more may pass, and not more than that.
    #expect(passing(&limit, 500, from: 400, over: 10) == 3)
  }

  @Test
  func aFloodOfManyQuestionsHasOneMeasure() {
    var limit = PromptLimit()
    let passed = passing(&limit, 500, over: 10) { number in
      question(of: [UInt8](repeating: UInt8(number % 250), count: 16))
    }
    #expect(passed == 12 + 1)
  }

  @Test
  func theWaitThatIsToldIsTheOneThatHelps() throws {
    var limit = PromptLimit()
    for _ in 0..<3 { #expect(limit.take(question(), joins: false, at: at(5)) == nil) }
    let told = limit.take(question(), joins: false, at: at(6))
    let wait = try #require(told)
    #expect(wait == 14)
    #expect(limit.take(question(), joins: false, at: at(6 + wait - 1)) == 1)
    #expect(limit.take(question(), joins: false, at: at(6 + wait)) == nil)
  }

  @Test
  func oneAccountOnePurposeAndOnePlaceDoNotWaitForAnother() {
    var limit = PromptLimit()
    for _ in 0..<3 { _ = limit.take(question(), joins: false, at: at(0)) }
    #expect(limit.take(question(), joins: false, at: at(0)) != nil)
    #expect(limit.take(question(of: otherAccount), joins: false, at: at(0)) == nil)
    #expect(limit.take(question(.disable), joins: false, at: at(0)) == nil)
    #expect(limit.take(question(user: 1001), joins: false, at: at(0)) == nil)
  }

  @Test
  func whoSaysYesEachTimeNeverWaits() {
    var limit = PromptLimit()
    for _ in 0..<1000 {
      #expect(limit.take(question(), joins: false, at: at(0)) == nil)
      limit.notePassed(question())
    }
  }

  /// The programs of a user choose the names of restricted sockets.
  @Test
  func newNamesOfSocketsDoNotEndThePauses() {
    var limit = PromptLimit()
    var now: Int64 = 1000
    var pauses: [Int64] = []
    for number in 0..<12 {
      limit.noteRefused(question(socket: "s\(number)"), at: at(now))
      let pause = limit.pause(of: question(socket: "next"), at: at(now)) ?? 0
      pauses.append(pause)
      now += pause + 1
    }
    #expect(pauses == [0, 0, 0, 0, 0, 5, 10, 20, 40, 80, 160, 300])
    #expect(limit.pause(of: question(), at: at(now - 1)) == nil)
    // A person who approves one of them is asked by the others again.
    limit.notePassed(question(socket: "next"))
    limit.noteRefused(question(socket: "other"), at: at(now))
    #expect(limit.pause(of: question(socket: "other"), at: at(now)) == nil)
  }

  /// A container may open prompts for many accounts, and never show them.
  @Test
  func programsBehindASocketDoNotUseUpTheLimitsOfOthers() {
    var limit = PromptLimit()
    for number in 0..<12 {
      let asked = question(of: [UInt8(number)], socket: "s")
      #expect(limit.take(asked, joins: false, at: at(0)) == nil)
    }
    #expect(limit.take(question(socket: "s"), joins: false, at: at(0)) != nil)
    #expect(limit.take(question(), joins: false, at: at(0)) == nil)
    for _ in 0..<64 { #expect(limit.takeOpening(question(socket: "s"), at: at(0)) == nil) }
    #expect(limit.takeOpening(question(socket: "t"), at: at(0)) != nil)
    #expect(limit.takeOpening(question(), at: at(0)) == nil)
    for _ in 0..<64 { limit.noteUnopened(question(socket: "s"), at: at(0)) }
    let isCounted = { (asked: PromptQuestion) in
      limit.waitToBegin(asked, isCounted: true, joins: false, at: at(0)) == nil
    }
    #expect(!isCounted(question(.unlock, socket: "s")) && isCounted(question(.unlock)))
  }

  @Test
  func eachFurtherRefusalMakesALongerPause() {
    var limit = PromptLimit()
    var now: Int64 = 1000
    var pauses: [Int64] = []
    for _ in 0..<10 {
      // Far enough apart for the rate limit, but too close for the refusals to be forgotten.
      now += 400
      #expect(limit.take(question(), joins: false, at: at(now)) == nil)
      limit.noteRefused(question(), at: at(now))
      pauses.append(limit.take(question(), joins: false, at: at(now)) ?? 0)
    }
    #expect(pauses == [0, 5, 10, 20, 40, 80, 160, 300, 300, 300])
    // Other requests are not held back, and this one not for good.
    #expect(limit.take(question(of: otherAccount), joins: false, at: at(now)) == nil)
    now += PromptLimit.memory + 300
    #expect(limit.take(question(), joins: false, at: at(now)) == nil)
    limit.noteRefused(question(), at: at(now))
    #expect(limit.take(question(), joins: false, at: at(now)) == nil)
  }

  /// A vault is closed after some minutes without a call.
  @Test
  func refusalsAreKeptUntilTheyAreForgotten() {
    var limit = PromptLimit()
    limit.noteRefused(question(), at: at(0))
    #expect(!limit.mustBeKept(at: at(0)))
    limit.noteRefused(question(), at: at(1))
    // The pause of 5 seconds is over by then.
    #expect(limit.mustBeKept(at: at(PromptLimit.memory)))
    #expect(!limit.mustBeKept(at: at(6 + PromptLimit.memory)))
  }

  @Test
  func aPassedCheckEndsThePausesThatGrow() {
    var limit = PromptLimit()
    for second: Int64 in [0, 100, 200] {
      _ = limit.take(question(), joins: false, at: at(second))
      limit.noteRefused(question(), at: at(second))
    }
    #expect(limit.take(question(), joins: false, at: at(300)) == nil)
    limit.notePassed(question())
    limit.noteRefused(question(), at: at(310))
    #expect(limit.take(question(), joins: false, at: at(310)) == nil)
    limit.noteRefused(question(), at: at(320))
    #expect(limit.take(question(), joins: false, at: at(320)) == 5)
  }

  /// Any program can have a terminal, so its cancels count as well, but less.
  @Test
  func fourCancelsAtOneTerminalAreOneRefusal() {
    var limit = PromptLimit()
    var pauses: [Int64] = []
    for number: Int64 in 0..<36 {
      let now = at(number * 400)
      limit.noteRefused(question(), cancelledAt: 34_817, at: now)
      pauses.append(limit.pause(of: question(), at: now) ?? 0)
    }
    let expected: [Int64] = [0, 5, 10, 20, 40, 80, 160, 300, 300]
    #expect(pauses == expected.flatMap { [$0, $0, $0, $0] })
  }

  /// A person cancels at one terminal; a program can have many.
  @Test
  func cancelsAtChangingTerminalsAreWholeRefusals() {
    var limit = PromptLimit()
    var pauses: [Int64] = []
    for number: Int64 in 0..<5 {
      let now = at(number * 400)
      limit.noteRefused(question(), cancelledAt: 34_817 + Int32(number % 2), at: now)
      pauses.append(limit.pause(of: question(), at: now) ?? 0)
    }
    #expect(pauses == [0, 0, 5, 10, 20])
  }

  @Test
  func fourCancelsAtOneTerminalTakeTheRightToAskOnce() {
    var limit = PromptLimit()
    for _ in 0..<4 {
      #expect(limit.take(question(), joins: false, at: at(0)) == nil)
      limit.noteRefused(question(), cancelledAt: 34_817, at: at(0))
    }
    #expect(passing(&limit, 500, over: 1) == 2)
    // The limit of all questions of the user counts each of the six.
    let others = passing(&limit, 500, over: 1) { question(of: [UInt8(clamping: $0 % 250)]) }
    #expect(others == 12 - 6)
  }

  @Test
  func ownCancelsOfManyQuestionsTakeTheRightsOfTheirUser() {
    var limit = PromptLimit()
    var shown = 0
    for number in 0..<100 {
      let asked = question(of: [UInt8(number % 12)])
      guard limit.take(asked, joins: false, at: at(0)) == nil else { continue }
      shown += 1
      limit.noteRefused(asked, cancelledAt: 34_817, at: at(0))
    }
    #expect(shown == 12)
  }

  /// The caller of a joined prompt took no right to ask, and gives none back.
  @Test
  func neitherAJoinedCallerNorASocketGivesBackTheRightToAsk() {
    for (asked, joined) in [(question(), true), (question(socket: "s"), false)] {
      var limit = PromptLimit()
      #expect(passing(&limit, 500, over: 1) { _ in asked } == 3)
      for _ in 0..<3 { limit.noteRefused(asked, cancelledAt: 34_817, joined: joined, at: at(1)) }
      #expect(limit.take(asked, joins: false, at: at(1)) != nil)
    }
  }

  /// A program that cancels its own prompts waits as long as a person who does so.
  @Test
  func aFloodOfOwnCancelsIsSlowedDownByThePauses() {
    var limit = PromptLimit()
    var shown = 0
    for second: Int64 in 0..<600 {
      guard limit.take(question(), joins: false, at: at(second)) == nil else { continue }
      shown += 1
      limit.noteRefused(question(), cancelledAt: 34_817, at: at(second))
    }
    #expect(shown <= 24, "\(shown)")
  }

  @Test
  func whatIsOnlyOpenedHasAMeasureOfItsOwn() {
    var limit = PromptLimit()
    let opened = (0..<500).count { number in
      limit.takeOpening(question(), at: at(Int64(number) / 50)) == nil
    }
    #expect((64...74).contains(opened))
    #expect(limit.take(question(), joins: false, at: at(10)) == nil)
    // In a pause after refusals not even that.
    for _ in 0..<2 { limit.noteRefused(question(), at: at(1000)) }
    #expect(limit.takeOpening(question(), at: at(1000)) == 5)
  }

  @Test
  func aPersonWhoCancelsMayTryAgainAMomentLater() {
    var limit = PromptLimit()
    _ = limit.take(question(), joins: false, at: at(0))
    limit.noteRefused(question(), at: at(2))
    #expect(limit.take(question(), joins: false, at: at(2)) == nil)
  }

  @Test
  func aCrowdJoinsButNotWithoutEndAndNotInAPause() {
    var limit = PromptLimit()
    #expect(limit.take(question(), joins: false, at: at(0)) == nil)
    #expect(passing(&limit, 500, over: 1, joins: true) == 64)
    // One approval was the answer for all of them.
    limit.notePassed(question())
    #expect(passing(&limit, 500, from: 1, over: 1, joins: true) == 64)
    for _ in 0..<2 { limit.noteRefused(question(), at: at(100)) }
    #expect(limit.take(question(), joins: true, at: at(100)) == 5)
  }
}
