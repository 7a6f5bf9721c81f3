import PresenceTerms
import Synchronization

@testable import TokenVault

/// A client that watches an account, and keeps the reported facts.
final class Onlooker: Sendable {
  private struct Waiting {
    let isDue: @Sendable ([WatchFacts]) -> Bool
    let wake: CheckedContinuation<Void, Never>
  }

  private struct State {
    var told: [WatchFacts] = []
    var isSlow = false
    var taking: CheckedContinuation<Void, Never>?
    var waiting: [Waiting] = []
  }

  private final class Log: Sendable {
    let state = Mutex(State())

    func take(_ facts: WatchFacts) async {
      let woken = state.withLock { state in
        state.told.append(facts)
        let told = state.told
        let due = state.waiting.filter { $0.isDue(told) }.map(\.wake)
        state.waiting.removeAll { $0.isDue(told) }
        return due
      }
      for wake in woken { wake.resume() }
      await withCheckedContinuation { taking in
        let isSlow = state.withLock { state in
          if state.isSlow { state.taking = taking }
          return state.isSlow
        }
        if !isSlow { taking.resume() }
      }
    }
  }

  private let log = Log()
  private let task: Task<Result<WatchFacts, VaultFailure>, Never>

  /// Begins to watch.
  ///
  /// A slow onlooker accepts nothing more until it has `caughtUp`.
  init(
    _ vault: Vault,
    _ account: String? = "me",
    ahead: Int64? = 0,
    isSlow: Bool = false,
    caller: Caller = caller()
  ) {
    log.state.withLock { $0.isSlow = isSlow }
    task = Task { [log] in
      do throws(VaultFailure) {
        return .success(
          try await vault.watch(account: account, refreshAhead: ahead, caller: caller) { facts in
            await log.take(facts)
            return true
          }
        )
      } catch {
        return .failure(error)
      }
    }
  }

  /// The reported facts, in order.
  var told: [WatchFacts] { log.state.withLock { $0.told } }

  /// The reported facts, in short.
  var story: [String] {
    told.map { facts in
      (facts.account?.state.rawValue ?? "none") + (facts.isUnlocked ? ", unlocked" : "")
    }
  }

  /// Waits until the reported facts are enough.
  func until(_ isDue: @escaping @Sendable ([WatchFacts]) -> Bool) async {
    await withCheckedContinuation { wake in
      let isDueNow = log.state.withLock { state in
        if isDue(state.told) { return true }
        state.waiting.append(Waiting(isDue: isDue, wake: wake))
        return false
      }
      if isDueNow { wake.resume() }
    }
  }

  /// Waits for this many reports.
  func untilTold(_ count: Int) async { await until { $0.count >= count } }

  /// From now on takes each report at once.
  func caughtUp() {
    let taking = log.state.withLock { state in
      state.isSlow = false
      let taking = state.taking
      state.taking = nil
      return taking
    }
    taking?.resume()
  }

  /// Hangs up, and waits for the end: the last facts, or the refusal.
  @discardableResult
  func end() async -> Result<WatchFacts, VaultFailure> {
    task.cancel()
    return await task.value
  }

  /// The result of the watch.
  var outcome: Result<WatchFacts, VaultFailure> {
    get async { await task.value }
  }
}
