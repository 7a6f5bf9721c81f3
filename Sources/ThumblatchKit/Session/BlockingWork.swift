internal import Synchronization
internal import System

/// Runs blocking work on a few threads of its own, so that it holds no thread of the pool.
///
/// A thread ends when no work is left. Work that waits for a person or a server has threads of its
/// own, so that it never delays calls that the vault answers at once.
final class BlockingWork: Sendable {
  /// Calls that the vault answers without a person or a server.
  static let short = BlockingWork(mostThreads: 8)
  /// Calls for which the vault may ask a person or a provider.
  static let long = BlockingWork(mostThreads: 16)
  /// Calls that end sign-ins.
  ///
  /// They wait for no person, and never queue behind a call that does.
  static let ending = BlockingWork(mostThreads: 8)
  /// Requests to servers, and sign-ins that a person completes elsewhere.
  static let elsewhere = BlockingWork(mostThreads: 32)
  /// Prompts at the terminal: one at a time, because there is one keyboard.
  static let terminal = BlockingWork(mostThreads: 1)
  /// Prompts at the desktop: as many as calls that may ask.
  static let desktop = BlockingWork(mostThreads: 16)

  private struct Job {
    let turn: Turn
    let run: @Sendable () -> Void
  }

  private struct Content {
    var threads = 0
    var queue: [Job] = []
  }

  private let mostThreads: Int
  private let content = Mutex(Content())

  private init(mostThreads: Int) {
    self.mostThreads = mostThreads
  }

  /// Runs `body`.
  ///
  /// If the task is cancelled, the descriptor becomes readable: that of `wake` if one is given.
  ///
  /// - Throws: the errors of `body`; `cancelled` if the task was cancelled before its turn.
  nonisolated(nonsending) func run<Value: Sendable>(
    _ wake: WakeEventBox? = nil,
    _ body: @escaping @Sendable (_ interrupt: Int32) throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    let turn = Turn(wake)
    let outcome: Result<Value, AuthError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let job = Job(turn: turn) {
          let outcome: Result<Value, AuthError>
          do throws(AuthError) {
            outcome = .success(try body(try turn.begin().event.descriptor.number))
          } catch {
            outcome = .failure(error)
          }
          continuation.resume(returning: outcome)
        }
        if let error = submit(job) { continuation.resume(returning: .failure(error)) }
        // The task may be cancelled during the hand-over, when the handler was too early.
        if Task.isCancelled { cancel(turn) }
      }
    } onCancel: {
      cancel(turn)
    }
    return try outcome.get()
  }

  /// Cancels the work.
  ///
  /// If it waits for a thread, it runs here at once, only to report that.
  private func cancel(_ turn: Turn) {
    turn.cancel()
    let waiting = content.withLock { content -> Job? in
      guard let index = content.queue.firstIndex(where: { $0.turn === turn }) else { return nil }
      return content.queue.remove(at: index)
    }
    waiting?.run()
  }

  /// Gives the job to a thread.
  ///
  /// Returns an error if no thread can be started.
  private func submit(_ job: Job) -> AuthError? {
    let isQueued = content.withLock { content in
      guard content.threads >= mostThreads else {
        content.threads += 1
        return false
      }
      content.queue.append(job)
      return true
    }
    if isQueued { return nil }
    do throws(SystemError) {
      try startThread { [self] in
        var next: Job? = job
        while let work = next {
          work.run()
          next = content.withLock { content in
            guard content.queue.isEmpty else { return content.queue.removeFirst() }
            content.threads -= 1
            return nil
          }
        }
      }
      return nil
    } catch {
      content.withLock { $0.threads -= 1 }
      return .system(error)
    }
  }
}

/// The permission of one piece of work to run.
///
/// It ends when the task is cancelled.
private final class Turn: Sendable {
  private struct State {
    var wake: WakeEventBox?
    var isCancelled = false
  }

  private let state: Mutex<State>

  init(_ wake: WakeEventBox?) {
    state = Mutex(State(wake: wake))
  }

  /// Returns the event that reports a cancellation.
  ///
  /// It is made late, because many turns may wait.
  func begin() throws(AuthError) -> WakeEventBox {
    try state.withLock { state throws(AuthError) in
      guard !state.isCancelled else { throw .taskCancelled }
      let wake = if let wake = state.wake { wake } else { try WakeEventBox.make() }
      state.wake = wake
      return wake
    }
  }

  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      state.wake?.event.signal()
    }
  }
}

/// Holds a wake event that several closures share.
final class WakeEventBox: Sendable {
  let event: WakeEvent

  private init() throws(SystemError) {
    event = try WakeEvent()
  }

  /// Makes an event that is not signalled.
  static func make() throws(AuthError) -> WakeEventBox {
    do { return try WakeEventBox() } catch { throw .system(error) }
  }
}

extension AsyncStream where Element: Sendable {
  /// A stream of the newest value, which a thread of its own fills.
  ///
  /// The descriptor becomes readable when the stream has lost its reader. The stream ends with
  /// `body`.
  static func onThread(
    _ body: @escaping @Sendable (_ interrupt: Int32, Continuation) -> Void
  ) -> AsyncStream {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      do {
        let wake = try WakeEventBox.make()
        continuation.onTermination = { _ in wake.event.signal() }
        try startThread {
          body(wake.event.descriptor.number, continuation)
          continuation.finish()
        }
      } catch {
        continuation.finish()
      }
    }
  }
}

extension AuthError {
  /// The error for a failed system call.
  static func system(_ error: SystemError) -> AuthError {
    AuthError(.unexpected, "\(error)", cause: error)
  }
}
