internal import Synchronization

/// The streams that get the same values, in the same order.
///
/// Its owner keeps it under a lock, so that the newest value is yielded last. A yield takes the
/// lock of the reader's task. The runtime holds that lock while it cancels the task, and calls
/// `onTermination` under it. So `onTermination` never takes the owner's lock: it notes the end
/// under a lock of its own. The owner must not take its lock in any other cancellation handler.
package struct StreamListeners<Element: Sendable>: Sendable {
  private typealias Continuation = AsyncStream<Element>.Continuation

  /// The numbers of the streams that have ended.
  private final class Ended: Sendable {
    let numbers = Mutex<[UInt64]>([])
  }

  private var continuations: [UInt64: Continuation] = [:]
  private var last: UInt64 = 0
  private let ended = Ended()

  package init() {}

  /// How many streams have a reader.
  package var count: Int {
    mutating get {
      forgetEnded()
      return continuations.count
    }
  }

  /// A stream that begins with `first` and gets all later values.
  ///
  /// At most `waiting` values wait. A slow reader misses the oldest ones.
  package mutating func stream(from first: Element, waiting: Int) -> AsyncStream<Element> {
    forgetEnded()
    let (stream, continuation) = AsyncStream.makeStream(
      of: Element.self,
      bufferingPolicy: .bufferingNewest(waiting)
    )
    last += 1
    let number = last
    continuations[number] = continuation
    continuation.onTermination = { [ended] _ in ended.numbers.withLock { $0.append(number) } }
    continuation.yield(first)
    return stream
  }

  package mutating func yield(_ value: Element) {
    forgetEnded()
    for continuation in continuations.values { continuation.yield(value) }
  }

  /// Ends all streams, after the values that wait.
  package mutating func finish() {
    for continuation in continuations.values { continuation.finish() }
    continuations = [:]
  }

  private mutating func forgetEnded() {
    let numbers = ended.numbers.withLock { numbers in
      defer { numbers = [] }
      return numbers
    }
    for number in numbers { continuations[number] = nil }
  }
}
