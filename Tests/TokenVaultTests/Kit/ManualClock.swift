import Synchronization
import System

@testable import TokenVault

/// Clocks that stand still until a test moves them.
///
/// A pausing task waits for the test.
final class ManualClock: VaultClock {
  private struct Sleeper {
    let until: BootInstant
    let milliseconds: Int64
    let wake: CheckedContinuation<Void, Never>
  }

  private struct State {
    var wall: Int64 = 1_790_000_000
    var boot: Int64 = 1000 * 1_000_000_000
    var sleepers: [Sleeper] = []
    var isRunning = false
    var pauses: [Int64] = []
    var watchers: [(milliseconds: Int64, count: Int, wake: CheckedContinuation<Void, Never>)] = []
  }

  /// The length of one poll.
  private static let poll: Int64 = 50

  private let state = Mutex(State())
  let bootIdentifier: BootIdentifier

  init(boot: UInt8 = 1, wall: Int64 = 1_790_000_000, secondsSinceBoot: Int64 = 1000) {
    guard let identifier = BootIdentifier(bytes: [UInt8](repeating: boot, count: 16)) else {
      // An identifier has sixteen bytes.
      fatalError("sixteen bytes are no boot identifier")
    }
    bootIdentifier = identifier
    state.withLock {
      $0.wall = wall
      $0.boot = secondsSinceBoot * 1_000_000_000
    }
  }

  deinit {
    for sleeper in state.withLock({ $0.sleepers }) { sleeper.wake.resume() }
  }

  var wall: WallTime { WallTime(seconds: state.withLock { $0.wall }) }
  var boot: BootInstant { BootInstant(nanoseconds: state.withLock { $0.boot }) }

  /// From now on a pause ends at once, and moves the clocks by its length.
  func run() {
    state.withLock { $0.isRunning = true }
  }

  /// The pauses while the clock ran, in milliseconds, in order.
  ///
  /// Polls for a slot are left out: a child of another test, on its way to its exec, may hold the
  /// slot for a moment.
  var pauses: [Int64] { state.withLock { $0.pauses } }

  func pause(milliseconds: Int64) async {
    // A poll takes no time, because the number of polls depends on other processes.
    let isRunning = state.withLock { state in
      guard state.isRunning, milliseconds > Self.poll else { return false }
      state.pauses.append(milliseconds)
      return true
    }
    if isRunning {
      advance(0, milliseconds: milliseconds)
      return await Task.yield()
    }
    guard milliseconds > Self.poll else {
      let woken = state.withLock { state in
        let woken = state.watchers.filter { $0.milliseconds == milliseconds }.map(\.wake)
        state.watchers.removeAll { $0.milliseconds == milliseconds }
        return woken
      }
      for watcher in woken { watcher.resume() }
      return await Task.yield()
    }
    await withCheckedContinuation { wake in
      let woken = state.withLock { state in
        let until = BootInstant(nanoseconds: state.boot + milliseconds * 1_000_000)
        state.sleepers.append(Sleeper(until: until, milliseconds: milliseconds, wake: wake))
        return Self.takeWatchers(&state)
      }
      for watcher in woken { watcher.resume() }
    }
  }

  /// Lets time pass, and wakes the tasks whose pause is over.
  func advance(_ seconds: Int64, milliseconds: Int64 = 0) {
    let woken = state.withLock { state in
      state.wall += seconds
      state.boot += seconds * 1_000_000_000 + milliseconds * 1_000_000
      let now = BootInstant(nanoseconds: state.boot)
      let due = state.sleepers.filter { $0.until <= now }
      state.sleepers.removeAll { $0.until <= now }
      return due
    }
    for sleeper in woken { sleeper.wake.resume() }
  }

  /// The machine sleeps for this many seconds: both clocks run on, but wake no task.
  func suspend(_ seconds: Int64) {
    state.withLock { state in
      state.wall += seconds
      state.boot += seconds * 1_000_000_000
    }
  }

  /// Moves the wall clock by this many seconds, while no time passes.
  func setWall(by seconds: Int64) {
    state.withLock { $0.wall += seconds }
  }

  /// Returns when `count` callers sleep for this length, or one polls at it.
  func untilAsleep(milliseconds: Int64, count: Int = 1) async {
    await withCheckedContinuation { wake in
      let woken = state.withLock { state in
        state.watchers.append((milliseconds, count, wake))
        return Self.takeWatchers(&state)
      }
      for watcher in woken { watcher.resume() }
    }
  }

  private static func takeWatchers(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
    func isDue(_ milliseconds: Int64, _ count: Int) -> Bool {
      milliseconds > poll && state.sleepers.count { $0.milliseconds == milliseconds } >= count
    }
    let due = state.watchers.filter { isDue($0.milliseconds, $0.count) }.map(\.wake)
    state.watchers.removeAll { isDue($0.milliseconds, $0.count) }
    return due
  }
}
