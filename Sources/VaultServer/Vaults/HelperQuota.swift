internal import Synchronization

/// The quota of helper conversations.
///
/// It limits the helpers of each user, and keeps the total below the service manager's limit. The
/// other requests wait.
///
/// The user with the fewest conversations comes first, then the request that has waited for the
/// longest time.
final class HelperQuota: Sendable {
  enum Purpose {
    /// A person waits, or tokens would be lost.
    case pressing
    /// It can be requested again, so the caller need not wait for it.
    case passing
  }

  private struct Use {
    var all = 0
    var passing = 0

    func hasRoom(_ purpose: Purpose, _ most: Int) -> Bool {
      all < most && (purpose == .pressing || passing < (most + 1) / 2)
    }
  }

  private struct Waiting {
    let number: UInt64
    let user: UInt32
    let purpose: Purpose
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var used: [UInt32: Use] = [:]
    var total = 0
    /// Requests in the order in which they arrived.
    var waiting: [Waiting] = []
    var count: UInt64 = 0
  }

  private let each: Int
  private let all: Int
  private let state = Mutex(State())

  /// Makes a quota.
  ///
  /// `each` applies to one user, of which passing conversations get half, and `all` to all users.
  init(each: Int, all: Int) {
    self.each = each
    self.all = all
  }

  /// How many conversations run, and how many wait.
  var counts: (used: Int, waiting: Int) { state.withLock { ($0.total, $0.waiting.count) } }

  /// Waits for a turn, which must be given back.
  ///
  /// Returns false if there is none because the task of a passing conversation was cancelled.
  func take(for user: UInt32, _ purpose: Purpose) async -> Bool {
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          if purpose == .passing, Task.isCancelled { return false }
          let waiting = Waiting(
            number: number,
            user: user,
            purpose: purpose,
            continuation: continuation
          )
          // If there is room, the queue has no request that could run, so a new request may start
          // at once.
          guard hasRoom(for: waiting, state) else {
            state.waiting.append(waiting)
            return nil
          }
          Self.note(waiting, &state)
          return true
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      guard purpose == .passing else { return }
      let cancelled = state.withLock { state in
        state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
      }
      cancelled?.continuation.resume(returning: false)
    }
  }

  /// Takes a turn if there is room now.
  func takeNow(for user: UInt32) -> Bool {
    state.withLock { state in
      let use = state.used[user] ?? Use()
      guard state.total < all, use.hasRoom(.pressing, each) else { return false }
      state.total += 1
      state.used[user, default: Use()].all += 1
      return true
    }
  }

  /// Gives a turn back, and starts the next waiting request.
  func giveBack(of user: UInt32, _ purpose: Purpose) {
    let next = state.withLock { state -> Waiting? in
      state.total -= 1
      state.used[user]?.all -= 1
      if purpose == .passing { state.used[user]?.passing -= 1 }
      if state.used[user]?.all == 0 { state.used[user] = nil }
      var chosen: Int?
      for (index, one) in state.waiting.enumerated() where hasRoom(for: one, state) {
        if let chosen, Self.use(of: state.waiting[chosen], state) <= Self.use(of: one, state) {
          continue
        }
        chosen = index
      }
      guard let chosen else { return nil }
      let next = state.waiting.remove(at: chosen)
      Self.note(next, &state)
      return next
    }
    next?.continuation.resume(returning: true)
  }

  private func hasRoom(for waiting: Waiting, _ state: State) -> Bool {
    state.total < all && (state.used[waiting.user] ?? Use()).hasRoom(waiting.purpose, each)
  }

  private static func use(of waiting: Waiting, _ state: State) -> Int {
    state.used[waiting.user]?.all ?? 0
  }

  private static func note(_ waiting: Waiting, _ state: inout State) {
    state.total += 1
    state.used[waiting.user, default: Use()].all += 1
    if waiting.purpose == .passing { state.used[waiting.user, default: Use()].passing += 1 }
  }
}
