internal import Synchronization

/// Passes events from a thread or a task to a waiting task: in order, without loss, to one reader.
package final class EventQueue<Event: Sendable>: Sendable {
  private struct State {
    var events: [Event] = []
    var reader: CheckedContinuation<Event, Never>?
  }

  private let state = Mutex(State())

  package init() {}

  package func put(_ event: Event) {
    let reader = state.withLock { state -> CheckedContinuation<Event, Never>? in
      guard let reader = state.reader else {
        state.events.append(event)
        return nil
      }
      state.reader = nil
      return reader
    }
    reader?.resume(returning: event)
  }

  package func next() async -> Event {
    await withCheckedContinuation { continuation in
      let event = state.withLock { state -> Event? in
        guard state.events.isEmpty else { return state.events.removeFirst() }
        state.reader = continuation
        return nil
      }
      if let event { continuation.resume(returning: event) }
    }
  }
}
