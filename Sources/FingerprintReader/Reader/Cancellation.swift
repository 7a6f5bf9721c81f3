internal import Synchronization

/// A flag that an operation was cancelled, usable from any thread.
///
/// All tries of an operation share one object. A match that a reader reports after the cancel does
/// not count, even if the reader's thread has not heard of the cancel yet.
final class Cancellation: Sendable {
  private let isSet = Atomic(false)

  var isCancelled: Bool { isSet.load(ordering: .acquiring) }

  func cancel() { isSet.store(true, ordering: .releasing) }
}
