import Synchronization

@testable import TokenVault

/// Says of each connection where it sits.
final class ScriptedPlaces: CallerPlaces {
  private struct State {
    var places: [UInt64: CallerPlace] = [:]
    var asked = 0
  }

  private let state = Mutex(State())

  /// How often anyone asked.
  var asked: Int { state.withLock { $0.asked } }

  /// From now on these connections sit at a place.
  func seat(
    _ connections: UInt64...,
    at name: String,
    objection: String? = nil,
    isLocal: Bool? = nil
  ) {
    let place = CallerPlace(
      name: name,
      objection: objection,
      isLocal: isLocal ?? (objection == nil)
    )
    state.withLock { state in
      for connection in connections { state.places[connection] = place }
    }
  }

  /// From now on nobody knows.
  func forget(_ connection: UInt64) {
    state.withLock { $0.places[connection] = nil }
  }

  func place(of caller: Caller) async -> CallerPlace {
    state.withLock { state in
      state.asked += 1
      return state.places[caller.connection]
        ?? .alone(caller.connection, objection: "logind does not answer")
    }
  }
}
