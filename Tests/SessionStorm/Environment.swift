import Synchronization
import ThumblatchKit

/// A network monitor that reports a change when the storm says so.
final class Weather: NetworkMonitor {
  private let listeners = Mutex<[AsyncStream<Void>.Continuation]>([])

  func changes() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    listeners.withLock { $0.append(continuation) }
    return stream
  }

  func change() {
    for listener in listeners.withLock({ $0 }) { listener.yield() }
  }
}

/// The tasks that wait for changes of a session's state.
final class Watchers: Sendable {
  private let tasks = Mutex<[Task<Void, Never>]>([])

  /// Adds a watcher, and cancels the one before it.
  func add(_ watch: @escaping @Sendable () async -> Void) {
    let task = Task { await watch() }
    let previous = tasks.withLock { tasks in
      defer { tasks.append(task) }
      return tasks.last
    }
    previous?.cancel()
  }

  /// Ends the watchers whose change has not come.
  func end() async {
    let all = tasks.withLock { $0 }
    for task in all { task.cancel() }
    for task in all { await task.value }
  }
}

/// Counts of events.
final class Tally: Sendable {
  private let counts = Mutex<[String: Int]>([:])

  func add(_ word: String) {
    counts.withLock { $0[word, default: 0] += 1 }
  }

  func count(of word: String) -> Int { counts.withLock { $0[word] ?? 0 } }

  var line: String {
    counts.withLock { $0.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" } }
      .joined(separator: ", ")
  }
}
