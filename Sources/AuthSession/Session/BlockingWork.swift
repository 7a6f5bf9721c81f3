internal import Synchronization
internal import System

/// Runs work that blocks on a few threads of its own, so that no thread of the pool is held.
///
/// A thread ends when nothing is left to do. What waits for a person or for a server has threads of
/// its own, so that it never holds up what the vault answers at once.
final class BlockingWork: Sendable {
  /// Calls that the vault answers by itself.
  static let short = BlockingWork(mostThreads: 8)
  /// Calls for which the vault may ask a person or a provider.
  static let long = BlockingWork(mostThreads: 16)
  /// Ends of logins: they wait for no person, and behind none who does.
  static let ending = BlockingWork(mostThreads: 8)
  /// Requests to servers, and logins that a person ends elsewhere.
  static let elsewhere = BlockingWork(mostThreads: 32)
  /// Prompts at the terminal: one at a time, since there is one keyboard.
  static let terminal = BlockingWork(mostThreads: 1)

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

  /// Runs `body`, which is told by a readable descriptor when the task was cancelled: that of
  /// `wake` where one is given.
  ///
  /// - Throws: what `body` throws; `cancelled` where its turn never came.
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
        // Cancelled while it was handed over: the handler may have come too early.
        if Task.isCancelled { cancel(turn) }
      }
    } onCancel: {
      cancel(turn)
    }
    return try outcome.get()
  }

  /// Tells the one who runs; who waits for a thread needs none to hear of it.
  private func cancel(_ turn: Turn) {
    turn.cancel()
    let waiting = content.withLock { content -> Job? in
      guard let index = content.queue.firstIndex(where: { $0.turn === turn }) else { return nil }
      return content.queue.remove(at: index)
    }
    waiting?.run()
  }

  /// Has a thread do it; an error where none can be had.
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

/// When one piece of work may run: not any more once its task was cancelled.
private final class Turn: Sendable {
  private struct State {
    var wake: WakeEventBox?
    var isCancelled = false
  }

  private let state: Mutex<State>

  init(_ wake: WakeEventBox?) {
    state = Mutex(State(wake: wake))
  }

  /// What tells that it was cancelled; made now, since many may wait for their turn.
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

/// A wake event that closures share.
final class WakeEventBox: Sendable {
  let event: WakeEvent

  private init() throws(SystemError) {
    event = try WakeEvent()
  }

  /// One that was not signalled.
  static func make() throws(AuthError) -> WakeEventBox {
    do { return try WakeEventBox() } catch { throw .system(error) }
  }
}

extension AuthError {
  /// A system call failed.
  static func system(_ error: SystemError) -> AuthError {
    AuthError(.unexpected, "\(error)", cause: error)
  }
}
