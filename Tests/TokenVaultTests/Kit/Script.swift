import Synchronization

@testable import TokenVault

/// Events from a test to the caller that asks for the next one.
final class Script<Event: Sendable>: Sendable {
  private struct State {
    var events: [Event]
    var waiting: [CheckedContinuation<Event, Never>] = []
    var isHeard = false
    var watchers: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  init(_ events: [Event]) { state = Mutex(State(events: events)) }

  func put(_ event: Event) {
    let waiting = state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.events.append(event)
        return CheckedContinuation<Event, Never>?.none
      }
      return state.waiting.removeFirst()
    }
    waiting?.resume(returning: event)
  }

  /// Returns when a caller has asked for an event.
  func untilHeard() async {
    await withCheckedContinuation { wake in
      let isDue = state.withLock { state in
        if !state.isHeard { state.watchers.append(wake) }
        return state.isHeard
      }
      if isDue { wake.resume() }
    }
  }

  func next() async -> Event {
    let watchers = state.withLock { state in
      state.isHeard = true
      let watchers = state.watchers
      state.watchers = []
      return watchers
    }
    for watcher in watchers { watcher.resume() }
    return await withCheckedContinuation { waiting in
      let event = state.withLock { state in
        guard state.events.isEmpty else { return Event?.some(state.events.removeFirst()) }
        state.waiting.append(waiting)
        return nil
      }
      if let event { waiting.resume(returning: event) }
    }
  }
}
