internal import Synchronization
internal import System

/// Runs work that blocks on a few threads of its own, so that no thread of the pool is held.
///
/// A thread ends when nothing is left to do.
final class BlockingWork: Sendable {
  static let shared = BlockingWork()

  /// A prompt holds its thread until somebody answers: so many can be open at once.
  private static let mostThreads = 16

  private struct Content {
    var threads = 0
    var queue: [@Sendable () -> Void] = []
  }

  private let content = Mutex(Content())

  /// Runs `body`, which is told by a readable descriptor when the task was cancelled: that of
  /// `wake` where one is given.
  nonisolated(nonsending) func run<Value: Sendable>(
    _ wake: WakeEventBox? = nil,
    _ body: @escaping @Sendable (_ interrupt: Int32) throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    let wake = if let wake { wake } else { try WakeEventBox.make() }
    let outcome: Result<Value, AuthError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let job: @Sendable () -> Void = {
          let outcome: Result<Value, AuthError>
          do throws(AuthError) {
            outcome = .success(try body(wake.event.descriptor.number))
          } catch {
            outcome = .failure(error)
          }
          continuation.resume(returning: outcome)
        }
        if let error = submit(job) { continuation.resume(returning: .failure(error)) }
      }
    } onCancel: {
      wake.event.signal()
    }
    return try outcome.get()
  }

  /// Has a thread do it; an error where none can be had.
  private func submit(_ job: @escaping @Sendable () -> Void) -> AuthError? {
    let isQueued = content.withLock { content in
      guard content.threads >= Self.mostThreads else {
        content.threads += 1
        return false
      }
      content.queue.append(job)
      return true
    }
    if isQueued { return nil }
    do throws(SystemError) {
      try startThread { [self] in
        var next: (@Sendable () -> Void)? = job
        while let work = next {
          work()
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
