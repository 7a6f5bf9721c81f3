internal import Synchronization
public import ThumblatchKit

/// A clock that moves only when a test advances it.
public final class ManualAuthClock: AuthClock {
  private struct Sleeper {
    let end: Int64
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Content {
    var moved: Int64 = 0
    var lastSleeper: UInt64 = 0
    var sleepers: [UInt64: Sleeper] = [:]
  }

  private let content = Mutex(Content())
  private let start: Int64

  /// Makes a clock that stands at this time of day, in seconds since 1970.
  public init(secondsSince1970: Int64 = 1_700_000_000) {
    start = secondsSince1970
  }

  /// Nanoseconds since the clock was made.
  public var elapsed: Int64 { content.withLock { $0.moved } }
  /// The time of day.
  public var secondsSince1970: Int64 { start + elapsed / 1_000_000_000 }
  /// How many tasks wait for the clock to advance.
  public var sleepers: Int { content.withLock { $0.sleepers.count } }

  /// Advances the clock, and resumes the tasks whose time has come.
  public func advance(by duration: Duration) {
    let woken = content.withLock { content in
      content.moved += Self.nanoseconds(duration)
      let due = content.sleepers.filter { $0.value.end <= content.moved }
      for number in due.keys { content.sleepers[number] = nil }
      return Array(due.values)
    }
    for sleeper in woken { sleeper.continuation.resume() }
  }

  /// Waits until the clock has advanced by `duration`.
  public func sleep(for duration: Duration) async throws {
    let number = content.withLock { content in
      content.lastSleeper += 1
      return content.lastSleeper
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome = content.withLock { content -> Result<Void, any Error>? in
          // The task was cancelled before it joined, so its handler found no task to resume.
          if Task.isCancelled { return .failure(CancellationError()) }
          let end = content.moved + Self.nanoseconds(duration)
          if end <= content.moved { return .success(()) }
          content.sleepers[number] = Sleeper(end: end, continuation: continuation)
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      content.withLock { $0.sleepers.removeValue(forKey: number) }?.continuation
        .resume(throwing: CancellationError())
    }
  }

  private static func nanoseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
