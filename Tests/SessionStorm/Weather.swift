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
