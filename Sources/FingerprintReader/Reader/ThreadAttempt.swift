internal import System

/// A try that blocks a thread of its own, such as a conversation with fprintd.
final class ThreadAttempt<Outcome: Sendable>: ReaderAttempt, @unchecked Sendable {
  typealias Done = (Result<Outcome, ReaderError>) -> Void
  /// The work; it gets a descriptor that ends it when readable, and passes on its result once.
  typealias Work = @Sendable (Int32, (Result<Outcome, ReaderError>) -> Void) -> Void

  private let cancellation: Cancellation
  private let work: Work
  private let done: Done
  private var isTold = false

  init(_ cancellation: Cancellation, done: @escaping Done, work: @escaping Work) {
    self.cancellation = cancellation
    self.work = work
    self.done = done
  }

  func begin() {
    guard !isTold else { return }
    switch ReaderThread.shared.take(self, orLater: { [self] in begin() }) {
    case .taken: break
    case .later: return
    case .busy: return tell(.failure(.busy(nil)))
    }
    do throws(SystemError) {
      try startThread { [self] in
        work(cancellation.descriptor) { result in onReader { [self] in tell(result) } }
        onReader { [self] in ReaderThread.shared.release(self) }
      }
    } catch {
      ReaderThread.shared.release(self)
      tell(.failure(ReaderError(error)))
    }
  }

  func stop(_ reason: ReaderError) {
    // It waits for another operation, and has begun nothing.
    guard ReaderThread.shared.isTaken(by: self) else { return tell(.failure(reason)) }
    cancellation.end()
  }

  /// Does nothing: the work releases the reader as soon as it can.
  func hurry() {}

  private func onReader(_ body: @escaping @Sendable () -> Void) {
    // The reader's thread runs already.
    try? ReaderThread.shared.perform(body)
  }

  private func tell(_ result: Result<Outcome, ReaderError>) {
    guard !isTold else { return }
    isTold = true
    ReaderThread.shared.markEnding(self)
    done(result)
  }
}
