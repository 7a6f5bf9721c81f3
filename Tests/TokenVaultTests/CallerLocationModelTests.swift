import Presence
import System
import Testing

@testable import TokenVault

/// Random stories of one user at several locations, against the simplest possible model.
@Suite(.timeLimit(.minutes(10)))
struct CallerLocationModelTests {
  private enum Step: CaseIterable {
    case ask
    case askAgain
    case unlock
    case unlockForAMinute
    case lock
    case screenLock
    case suspend
    case logout
    case move
    case wait
    case setWallClock
  }

  /// The latest end of an open window, and its end if nothing happens.
  private struct Window {
    let end: Int64
    var pause: Int64
    let slides: Bool
  }

  private static let names = ["session 1", "session 2", "session 3"]

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func aWindowIsOpenWhereTheModelSaysSo(_ seed: UInt64) async throws {
    var random = Numbers(state: seed)
    let bench = try Bench()
    let locations = ScriptedPlaces()
    let windowGuard = ScriptedGuard()
    var seats: [UInt64: Int] = [:]
    for connection: UInt64 in 1...4 {
      seats[connection] = Int(connection) % 3
      locations.seat(connection, at: Self.names[Int(connection) % 3])
    }
    let vault = try await bench.open(windowGuard: windowGuard, locations: locations)
    try await bench.signIn(vault, lifetime: 1)
    try await bench.protect(vault)
    var windows: [Int: Window] = [:]
    var now: Int64 = 0
    var free = 0
    for number in 0..<80 {
      let connection = UInt64.random(in: 1...4, using: &random)
      let seat = seats[connection] ?? 0
      // An open window is mostly used.
      let isUse = windows[seat] != nil && Bool.random(using: &random)
      let step = isUse ? .ask : Step.allCases.randomElement(using: &random) ?? .ask
      switch step {
      case .ask, .askAgain:
        let isOpen = windows[seat].map { now < $0.pause } ?? false
        if isOpen { bench.exchange.plan(.tokens(access: "at", refresh: "rt", lifetime: 1)) }
        let answer = await failure { _ = try await vault.token(caller: caller(connection)) }
        if case .presenceNeeded(let need)? = answer {
          #expect(!isOpen, "\(number)")
          await vault.cancel(need.prompt, caller: caller(connection))
        } else {
          #expect(answer == nil && isOpen, "\(number): \(String(describing: answer))")
          if let window = windows[seat], window.slides {
            windows[seat]?.pause = min(window.end, now + 600)
          }
          free += 1
        }
      case .unlock:
        try await bench.unlock(vault, caller: caller(connection))
        windows[seat] = Window(end: now + 12 * 3600, pause: now + 600, slides: true)
      case .unlockForAMinute:
        try await bench.unlock(vault, seconds: 60, caller: caller(connection))
        windows[seat] = Window(end: now + 60, pause: now + 60, slides: false)
      case .lock:
        let wasOpen = try await vault.lock(caller: caller(connection))
        #expect(wasOpen == windows.values.contains { now < $0.pause })
        windows = [:]
      case .screenLock:
        await windowGuard.happen("the screen was locked")
        windows = [:]
      case .suspend:
        let seconds = Int64.random(in: 1...700, using: &random)
        bench.clock.suspend(seconds)
        now += seconds
      case .logout:
        await windowGuard.happen("the session has ended", at: Self.names[seat])
        windows[seat] = nil
      case .move:
        let to = Int.random(in: 0..<3, using: &random)
        seats[connection] = to
        locations.seat(connection, at: Self.names[to])
      case .wait:
        let seconds: Int64 = [1, 30, 59, 60, 599, 600][Int.random(in: 0..<6, using: &random)]
        bench.clock.advance(seconds)
        now += seconds
      case .setWallClock:
        bench.clock.setWall(by: Int64.random(in: -400_000_000...400_000_000, using: &random))
      }
      for connection: UInt64 in 1...4 {
        let window = windows[seats[connection] ?? 0]
        let left = window.map { $0.pause - now }.flatMap { $0 > 0 ? $0 : nil }
        let told = try await vault.facts(for: caller(connection)).unlockedFor
        #expect(told == left, "\(number): \(step), \(connection)")
      }
    }
    #expect(free > 0)
  }
}

/// Numbers that are the same in each run (xorshift64).
private struct Numbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 0x9e37_79b9_7f4a_7c15 | 1
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
