internal import Synchronization

/// Whether an operation was given up, from any thread.
///
/// One object for all tries of an operation: a match that a reader reports after the cancel does not
/// count, however soon the reader's thread hears of the cancel.
final class Cancellation: Sendable {
  private let isSet = Atomic(false)

  var isCancelled: Bool { isSet.load(ordering: .acquiring) }

  func cancel() { isSet.store(true, ordering: .releasing) }
}
