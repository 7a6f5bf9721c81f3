import Synchronization

@testable import TokenVault

/// Reports the session events that a test makes up.
final class ScriptedGuard: SessionEvents {
  private struct State {
    var end: (@Sendable (String?, String) async -> Void)?
    var happensFirst: String?
    var flaw: String?
    var begun = 0
    var rested = 0
  }

  private let state = Mutex(State())

  /// How often it began to look.
  var begun: Int { state.withLock { $0.begun } }
  /// How often it was told to stop watching.
  var rested: Int { state.withLock { $0.rested } }

  /// Reports an event at one location, or for the person if `location` is `nil`.
  ///
  /// Returns when the windows are closed.
  func happen(_ why: String, at location: String? = nil) async {
    let end = state.withLock { $0.end }
    await end?(location, why)
  }

  /// Reports an event as soon as it begins to look.
  func willHappen(_ why: String) {
    state.withLock { $0.happensFirst = why }
  }

  /// From now on it cannot see events.
  func isBlind(_ why: String) {
    state.withLock { $0.flaw = why }
  }

  func begin(_ end: @escaping @Sendable (String?, String) async -> Void) async {
    let first = state.withLock { state in
      state.begun += 1
      state.end = end
      let first = state.happensFirst
      state.happensFirst = nil
      return first
    }
    if let first { await end(nil, first) }
  }

  func rest() { state.withLock { $0.rested += 1 } }

  func flaw() async -> String? { state.withLock { $0.flaw } }
}
