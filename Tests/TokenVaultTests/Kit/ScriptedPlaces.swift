import Synchronization

@testable import TokenVault

/// The location of each connection, as the test sets it.
final class ScriptedPlaces: CallerLocations {
  private struct State {
    var locations: [UInt64: CallerLocation] = [:]
    var asked = 0
  }

  private let state = Mutex(State())

  /// How often a location was asked for.
  var asked: Int { state.withLock { $0.asked } }

  /// Sets the location of these connections.
  func seat(
    _ connections: UInt64...,
    at name: String,
    objection: String? = nil,
    isLocal: Bool? = nil,
    hasSession: Bool? = true
  ) {
    let location = CallerLocation(
      name: name,
      objection: objection,
      isLocal: isLocal ?? (objection == nil),
      hasSession: hasSession
    )
    state.withLock { state in
      for connection in connections { state.locations[connection] = location }
    }
  }

  /// From now on the location of this connection is unknown.
  func forget(_ connection: UInt64) {
    state.withLock { $0.locations[connection] = nil }
  }

  func location(of caller: Caller) async -> CallerLocation {
    state.withLock { state in
      state.asked += 1
      return state.locations[caller.connection]
        ?? .alone(caller.connection, objection: "logind does not answer")
    }
  }
}
