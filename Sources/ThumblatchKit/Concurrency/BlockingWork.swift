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
    /// Runs the work, or only reports why it has no thread.
    let run: @Sendable (_ failure: AuthError?) -> Void
  }

  private struct Content {
    var threads = 0
    var queue: [Job] = []
  }

  typealias StartThread = @Sendable (@escaping @Sendable () -> Void) throws(SystemError) -> Void

  private let mostThreads: Int
  private let startThread: StartThread
  private let content = Mutex(Content())

  init(
    mostThreads: Int,
    startThread: @escaping StartThread = { work throws(SystemError) in try System.startThread(work)
    }
  ) {
    self.mostThreads = mostThreads
    self.startThread = startThread
  }

  /// How many threads run, or are being started.
  var threads: Int { content.withLock { $0.threads } }
  /// How many jobs wait for a thread.
  var queued: Int { content.withLock { $0.queue.count } }

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
        let job = Job(turn: turn) { failure in
          let outcome: Result<Value, AuthError>
          do throws(AuthError) {
            if let failure { throw failure }
            outcome = .success(try body(try turn.begin().event.descriptor.number))
          } catch {
            outcome = .failure(error)
          }
          continuation.resume(returning: outcome)
        }
        submit(job)
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
    waiting?.run(nil)
  }

  /// Gives the job to a thread, or fails it if no thread can be started.
  private func submit(_ job: Job) {
    let isQueued = content.withLock { content in
      guard content.threads >= mostThreads else {
        content.threads += 1
        return false
      }
      content.queue.append(job)
      return true
    }
    if isQueued { return }
    do throws(SystemError) {
      try startThread { [self] in
        var next: Job? = job
        while let work = next {
          work.run(nil)
          next = content.withLock { content in
            guard content.queue.isEmpty else { return content.queue.removeFirst() }
            content.threads -= 1
            return nil
          }
        }
      }
    } catch {
      for failed in [job] + endThread() { failed.run(.system(error)) }
    }
  }

  /// Forgets a thread that was not started.
  ///
  /// - Returns: the jobs that were queued for it, if no other thread is left to run them.
  private func endThread() -> [Job] {
    content.withLock { content in
      content.threads -= 1
      guard content.threads == 0 else { return [] }
      defer { content.queue = [] }
      return content.queue
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
