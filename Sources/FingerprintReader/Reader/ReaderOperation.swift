// The C module that the compiler loads first defines timespec for it.
internal import CFprint
internal import Glibc
internal import Synchronization

/// A running check or enrollment.
///
/// It ends by itself: decided, failed, timed out or cancelled.
@safe
package final class ReaderOperation<Outcome: Sendable>: @unchecked Sendable {
  private let outcome = Mutex<Result<Outcome, ReaderError>?>(nil)
  private let isOver: UnsafeMutablePointer<sem_t>
  private let canceller = Mutex<(@Sendable () -> Void)?>(nil)

  init() {
    unsafe isOver = .allocate(capacity: 1)
    unsafe isOver.initialize(to: sem_t())
    unsafe sem_init(isOver, 0, 0)
  }

  deinit {
    unsafe sem_destroy(isOver)
    unsafe isOver.deallocate()
  }

  /// Cancels the operation, from any thread; a later match does not count, a later miss does.
  package func cancel() {
    canceller.withLock { $0 }?()
  }

  /// Waits for the end.
  ///
  /// - Throws: the reason why there is no outcome.
  package func wait() throws(ReaderError) -> Outcome {
    while true {
      // sem_wait(3): EINTR is its only error here. Post again for other waiting threads.
      if unsafe sem_wait(isOver) == 0 { unsafe sem_post(isOver) }
      if let result = outcome.withLock({ $0 }) { return try result.get() }
    }
  }

  /// Waits for the end, at most for `milliseconds` (sem_timedwait(3)).
  func wait(milliseconds: Int32) {
    var deadline = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &deadline)
    let nanoseconds = deadline.tv_nsec + Int(milliseconds) * 1_000_000
    deadline.tv_sec += nanoseconds / 1_000_000_000
    deadline.tv_nsec = nanoseconds % 1_000_000_000
    while unsafe sem_timedwait(isOver, &deadline) != 0 {
      guard errno == EINTR else { return }
    }
    unsafe sem_post(isOver)
  }

  func onCancel(_ body: @escaping @Sendable () -> Void) {
    canceller.withLock { $0 = body }
  }

  /// Ends the operation; a second call is ignored.
  func finish(_ result: Result<Outcome, ReaderError>) {
    let isFirst = outcome.withLock { outcome in
      guard outcome == nil else { return false }
      outcome = result
      return true
    }
    guard isFirst else { return }
    canceller.withLock { $0 = nil }
    unsafe sem_post(isOver)
  }
}
