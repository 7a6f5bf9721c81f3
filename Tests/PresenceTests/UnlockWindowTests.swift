import Presence
import PresenceTerms
import System
import Testing

@Suite
struct UnlockWindowTests {
  private func window(
    _ accounts: Set<[UInt8]>? = nil,
    seconds: Int64?,
    sliding: Int64 = UnlockWindow.slidingLength,
    limit: Int64 = UnlockWindow.hardLimit,
    openedAt: Int64 = 1000
  ) throws -> UnlockWindow {
    try #require(
      UnlockWindow(
        accounts: accounts,
        seconds: seconds,
        sliding: sliding,
        limit: limit,
        provenBy: .check(.fingerprint),
        at: at(openedAt)
      )
    )
  }

  private func gives(
    _ window: inout UnlockWindow,
    _ of: [UInt8] = account,
    at second: Int64,
    extending: Bool = true
  ) -> Bool {
    switch window.proof(account: of, connection: 1, at: at(second), extending: extending) {
    case .some: true
    case nil: false
    }
  }

  @Test
  func aWindowIsForWhatItCoversWhole() throws {
    let ofOne = try window([account], seconds: 900)
    let ofAll = try window(seconds: 900)
    for wanted: Set<[UInt8]>? in [[account], [account, otherAccount], [otherAccount], nil] {
      #expect(ofAll.isFor(wanted))
      #expect(ofOne.isFor(wanted) == (wanted == [account]))
    }
  }

  @Test
  func aWindowDoesNotOpenAnother() {
    #expect(
      UnlockWindow(accounts: nil, seconds: 60, provenBy: .unlockWindow, at: at(0)) == nil
    )
  }

  @Test
  func aFixedWindowEndsWhenItWasToEndHoweverMuchItIsUsed() throws {
    var window = try window(seconds: 900)
    for second in stride(from: Int64(1000), to: 1900, by: 30) {
      #expect(gives(&window, at: second))
    }
    #expect(window.secondsLeft(at: at(1899)) == 1)
    #expect(!window.isOpen(at: at(1900)))
    #expect(!gives(&window, at: 1900))
  }

  @Test
  func aSlidingWindowEndsTenMinutesAfterItsLastUse() throws {
    var window = try window(seconds: nil)
    #expect(window.secondsLeft(at: at(1000)) == 600)
    _ = window.proof(account: account, connection: 1, at: at(1500), extending: true)
    #expect(window.isOpen(at: at(2099)))
    #expect(!window.isOpen(at: at(2100)))
  }

  @Test
  func refreshingAheadDoesNotMoveTheEnd() throws {
    var window = try window(seconds: nil)
    #expect(gives(&window, at: 1500, extending: false))
    #expect(!window.isOpen(at: at(1600)))
  }

  @Test
  func noUseKeepsAWindowOpenOverTwelveHours() throws {
    var window = try window(seconds: nil)
    let limit = 1000 + UnlockWindow.hardLimit
    for second in stride(from: Int64(1000), to: limit, by: 599) {
      #expect(gives(&window, at: second))
    }
    #expect(!window.isOpen(at: at(limit)))
    #expect(try self.window(seconds: .max).secondsLeft(at: at(1000)) == UnlockWindow.hardLimit)
    #expect(try !self.window(seconds: -1).isOpen(at: at(1000)))
  }

  @Test
  func noArgumentOpensAWindowForLongerThanItsLimit() throws {
    let beyond = try window(seconds: .max, limit: UnlockWindow.hardLimit + 3600)
    #expect(beyond.secondsLeft(at: at(1000)) == UnlockWindow.hardLimit)
    // Before its first use, a sliding window ends with the limit too.
    #expect(try window(seconds: nil, sliding: 600, limit: 60).secondsLeft(at: at(1000)) == 60)
  }

  @Test
  func aProofOfASlidingWindowEndsWithTheWindow() throws {
    var window = try window(seconds: nil)
    func proof() throws -> PresenceProof {
      let made = window.proof(account: account, connection: 7, at: at(1000), extending: true)
      guard let made else { throw PresenceFailure.cancelled }
      return made
    }
    #expect(
      try proof().spend(for: .refresh, account: account, connection: 7, at: at(1600))
        == .unlockWindow
    )
    #expect(throws: PresenceFailure.timedOut) {
      try proof().spend(for: .refresh, account: account, connection: 7, at: at(1601))
    }
  }

  @Test
  func onlyTheAccountsThatItCoversGetAProof() throws {
    var window = try window([account], seconds: 60)
    #expect(window.covers(account, at: at(1001)))
    #expect(!window.covers(otherAccount, at: at(1001)))
    #expect(!gives(&window, otherAccount, at: 1001))
    var none = try self.window([], seconds: 60)
    #expect(!gives(&none, at: 1001))
  }

  @Test
  func itsProofIsForOneRefreshOfThatAccountAndCallerBeforeItCloses() throws {
    var window = try window(seconds: 60)
    func proof() throws -> PresenceProof {
      let made = window.proof(account: account, connection: 7, at: at(1001), extending: true)
      guard let made else { throw PresenceFailure.cancelled }
      return made
    }
    #expect(
      try proof().spend(for: .refresh, account: account, connection: 7, at: at(1060))
        == .unlockWindow
    )
    #expect(throws: PresenceFailure.timedOut) {
      try proof().spend(for: .refresh, account: account, connection: 7, at: at(1061))
    }
    for purpose in PresencePurpose.allCases where purpose != .refresh {
      #expect(throws: PresenceFailure.self) {
        try proof().spend(for: purpose, account: account, connection: 7, at: at(1001))
      }
    }
    #expect(throws: PresenceFailure.self) {
      try proof().spend(for: .refresh, account: otherAccount, connection: 7, at: at(1001))
    }
    #expect(throws: PresenceFailure.self) {
      try proof().spend(for: .refresh, account: account, connection: 8, at: at(1001))
    }
  }

  @Test
  func theWindowOfADeletedAccountClosesAndOthersStay() throws {
    for (covered, stays) in [([account], false), ([account, otherAccount], true)] {
      var windows = UnlockWindows()
      windows.open(try window(Set(covered), seconds: 60), at: "desk", now: at(1000))
      windows.forget(account)
      #expect(windows.isAnyOpen(now: at(1000)) == stays)
    }
  }
}
