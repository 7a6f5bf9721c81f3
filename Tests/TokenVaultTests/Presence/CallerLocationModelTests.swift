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

  /// A vault with its scripted parts, and the model's expectations.
  private struct Story {
    let bench: Bench
    let vault: Vault
    let locations: ScriptedPlaces
    let windowGuard: ScriptedGuard
    var seats: [UInt64: Int] = [:]
    var windows: [Int: Window] = [:]
    var now: Int64 = 0
    /// The number of tokens that needed no check.
    var free = 0

    init() async throws {
      bench = try Bench()
      locations = ScriptedPlaces()
      windowGuard = ScriptedGuard()
      for connection: UInt64 in 1...4 {
        seats[connection] = Int(connection) % 3
        locations.seat(connection, at: CallerLocationModelTests.names[Int(connection) % 3])
      }
      vault = try await bench.open(windowGuard: windowGuard, locations: locations)
      try await bench.signIn(vault, lifetime: 1)
      try await bench.protect(vault)
    }

    func seat(of connection: UInt64) -> Int { seats[connection] ?? 0 }

    mutating func take(
      _ step: Step,
      on connection: UInt64,
      _ random: inout Numbers,
      _ number: Int
    ) async throws {
      let seat = seat(of: connection)
      switch step {
      case .ask, .askAgain: await ask(on: connection, number)
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
        await windowGuard.happen("the session has ended", at: CallerLocationModelTests.names[seat])
        windows[seat] = nil
      case .move:
        let to = Int.random(in: 0..<3, using: &random)
        seats[connection] = to
        locations.seat(connection, at: CallerLocationModelTests.names[to])
      case .wait:
        let seconds: Int64 = [1, 30, 59, 60, 599, 600][Int.random(in: 0..<6, using: &random)]
        bench.clock.advance(seconds)
        now += seconds
      case .setWallClock:
        bench.clock.setWall(by: Int64.random(in: -400_000_000...400_000_000, using: &random))
      }
    }

    private mutating func ask(on connection: UInt64, _ number: Int) async {
      let seat = seat(of: connection)
      let vault = vault
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
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func aWindowIsOpenWhereTheModelSaysSo(_ seed: UInt64) async throws {
    var random = Numbers(state: seed)
    var story = try await Story()
    for number in 0..<80 {
      let connection = UInt64.random(in: 1...4, using: &random)
      // An open window is mostly used.
      let isUse =
        story.windows[story.seat(of: connection)] != nil && Bool.random(using: &random)
      let step = isUse ? .ask : Step.allCases.randomElement(using: &random) ?? .ask
      try await story.take(step, on: connection, &random, number)
      for connection: UInt64 in 1...4 {
        let window = story.windows[story.seat(of: connection)]
        let left = window.map { $0.pause - story.now }.flatMap { $0 > 0 ? $0 : nil }
        let told = try await story.vault.facts(for: caller(connection)).unlockedFor
        #expect(told == left, "\(number): \(step), \(connection)")
      }
    }
    #expect(story.free > 0)
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
