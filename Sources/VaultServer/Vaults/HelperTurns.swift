internal import Synchronization

/// Who may have a conversation with a helper now, where many users want one: no more of each than are
/// good for one, no more of all than the service manager starts, and the others wait.
///
/// A user who has fewest of them comes first, and then who has waited longest.
final class HelperTurns: Sendable {
  /// What a conversation is for.
  enum Purpose {
    /// A person waits, or tokens would be lost.
    case pressing
    /// It can be asked again; whoever asks need not wait for it.
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
    /// In the order in which they came.
    var waiting: [Waiting] = []
    var count: UInt64 = 0
  }

  private let each: Int
  private let all: Int
  private let state = Mutex(State())

  /// Turns for so many at once of each user, of which passing ones get half, and for so many of all.
  init(each: Int, all: Int) {
    self.each = each
    self.all = all
  }

  /// How many there are at once, and how many wait.
  var counts: (used: Int, waiting: Int) { state.withLock { ($0.total, $0.waiting.count) } }

  /// Waits for a turn, which is to be given back; false: there is none, because the task of a passing
  /// conversation was cancelled.
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
          // Nobody waits who could have a turn: whoever comes last has no one before him.
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

  /// Takes a turn if there is one now.
  func takeNow(for user: UInt32) -> Bool {
    state.withLock { state in
      let use = state.used[user] ?? Use()
      guard state.total < all, use.hasRoom(.pressing, each) else { return false }
      state.total += 1
      state.used[user, default: Use()].all += 1
      return true
    }
  }

  /// Gives a turn back, which somebody else has then.
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
