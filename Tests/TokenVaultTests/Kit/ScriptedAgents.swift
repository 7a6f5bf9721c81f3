import Synchronization

@testable import TokenVault

/// Agents that record their prompts and notices.
final class ScriptedAgents: DesktopAgents {
  private struct State {
    /// The newest first.
    var agents: [Caller] = []
    var given: [(agent: UInt64, need: PresenceNeed)] = []
    var notices: [(agent: UInt64, notice: Notice)] = []
    var searches = 0
    var withdrawn: [UInt64] = []
    var ended: [UInt64] = []
    var isHeld = false
    var areKnown = true
    var areFull = false
    var held: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// The prompts that agents were given, with the connection of each agent.
  var given: [(agent: UInt64, need: PresenceNeed)] { state.withLock { $0.given } }
  /// The notices that agents were given.
  var notices: [(agent: UInt64, notice: Notice)] { state.withLock { $0.notices } }
  /// How often agents that show notices were called.
  var searches: Int { state.withLock { $0.searches } }
  /// The agents whose connection the vault has ended.
  var ended: [UInt64] { state.withLock { $0.ended } }

  /// Sets the agents, the newest first.
  func set(_ connections: UInt64...) {
    state.withLock { $0.agents = connections.map { caller($0) } }
  }

  /// From now on no agent of anybody is known.
  func forget() { state.withLock { $0.areKnown = false } }

  /// Sets whether each notice is dropped, because too many wait for the agents.
  func fill(_ areFull: Bool) { state.withLock { $0.areFull = areFull } }

  /// From now on a search for an agent waits until `release()`.
  func hold() { state.withLock { $0.isHeld = true } }

  /// Waits until a search waits.
  func untilHeld() async {
    while state.withLock({ $0.held.isEmpty }) { await Task.yield() }
  }

  /// Lets the searches go on.
  func release() {
    let held = state.withLock { state in
      defer { (state.held, state.isHeld) = ([], false) }
      return state.held
    }
    for search in held { search.resume() }
  }

  /// Waits until this many prompts were given; returns the last one.
  func prompt(_ count: Int = 1) async -> PresenceNeed {
    while given.count < count { await Task.yield() }
    return given[count - 1].need
  }

  func mayShow(for user: UInt32) -> Bool { state.withLock { $0.areKnown } }

  func newest(
    of user: UInt32,
    besides tried: Set<UInt64>,
    mayArrive: Bool,
    takingNotices: Bool
  ) async -> Caller? {
    if takingNotices, mayArrive { state.withLock { $0.searches += 1 } }
    if state.withLock({ $0.isHeld }) {
      await withCheckedContinuation { search in state.withLock { $0.held.append(search) } }
    }
    return state.withLock { $0.agents.first { $0.user == user && !tried.contains($0.connection) } }
  }

  func give(_ prompt: PresenceNeed, to agent: UInt64) {
    state.withLock { $0.given.append((agent, prompt)) }
  }

  @discardableResult
  func give(_ notice: Notice, to agent: UInt64) -> Bool {
    state.withLock { state in
      guard !state.areFull else { return false }
      state.notices.append((agent, notice))
      return true
    }
  }

  func withdraw(from agent: UInt64) { state.withLock { $0.withdrawn.append(agent) } }

  func hangUp(_ agent: UInt64) { state.withLock { $0.ended.append(agent) } }
}
