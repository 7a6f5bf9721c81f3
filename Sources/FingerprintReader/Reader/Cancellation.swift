internal import Synchronization
internal import System

/// A flag that an operation was cancelled, usable from any thread.
///
/// All tries of an operation share one object. A match that a reader reports after the cancel does
/// not count, even if the reader's thread has not heard of the cancel yet.
final class Cancellation: Sendable {
  private let isSet = Atomic(false)
  private let ended: WakeEvent

  init() throws(ReaderError) {
    do throws(SystemError) { ended = try WakeEvent() } catch { throw ReaderError(error) }
  }

  var isCancelled: Bool { isSet.load(ordering: .acquiring) }

  /// Readable after `cancel` or `end`; it is valid while this object lives.
  var descriptor: Int32 { ended.descriptor.number }

  func cancel() {
    isSet.store(true, ordering: .releasing)
    end()
  }

  /// Ends the waits of the operation for any other reason.
  func end() { ended.signal() }
}
