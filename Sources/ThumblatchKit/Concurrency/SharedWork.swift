internal import Synchronization

/// Single-flight work: many tasks wait for it, and it runs once.
///
/// A cancelled task leaves, and the others go on waiting. The work is cancelled when the last task
/// has left.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, AuthError>

  private struct Answer {
    let outcome: Outcome
    let isOwn: Bool

    static var cancelled: Answer { Answer(outcome: .failure(.taskCancelled), isOwn: false) }
  }

  private typealias Waiter = CheckedContinuation<Answer, Never>

  private struct Run {
    var number: UInt64
    /// The waiter that began the run.
    var owner: UInt64
    var task: Task<Void, Never>?
    var waiting: [UInt64: Waiter] = [:]
  }

  private struct Content {
    var runs: [Key: Run] = [:]
    var next: UInt64 = 0

    mutating func number() -> UInt64 {
      next += 1
      return next
    }
  }

  private let content = Mutex(Content())

  /// The result of the work under this key.
  ///
  /// It joins the run that exists, else it starts `work`. `isOwn` is true for the caller that
  /// started it.
  func value(
    for key: Key,
    _ work: @escaping @Sendable () async throws(AuthError) -> Value
  ) async throws(AuthError) -> (value: Value, isOwn: Bool) {
    let waiter = content.withLock { $0.number() }
    let answer = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        join(key, waiter, continuation, work)
      }
    } onCancel: {
      leave(key, waiter)
    }
    return (try answer.outcome.get(), answer.isOwn)
  }

  /// How many tasks wait for any work.
  var waiting: Int { content.withLock { $0.runs.values.reduce(0) { $0 + $1.waiting.count } } }

  private func join(
    _ key: Key,
    _ waiter: UInt64,
    _ continuation: Waiter,
    _ work: @escaping @Sendable () async throws(AuthError) -> Value
  ) {
    // The task was cancelled before it joined, so its handler found no waiter to remove.
    guard !Task.isCancelled else { return continuation.resume(returning: .cancelled) }
    content.withLock { content in
      if content.runs[key] != nil {
        content.runs[key]?.waiting[waiter] = continuation
        return
      }
      var run = Run(number: content.number(), owner: waiter)
      run.waiting[waiter] = continuation
      let number = run.number
      run.task = Task.detached {
        let outcome: Outcome
        do throws(AuthError) { outcome = .success(try await work()) } catch {
          outcome = .failure(error)
        }
        self.end(key, number, outcome)
      }
      content.runs[key] = run
    }
    // The task was cancelled while it joined, when the handler may have been too early.
    if Task.isCancelled { leave(key, waiter) }
  }

  private func leave(_ key: Key, _ waiter: UInt64) {
    let left = content.withLock {
      content -> (Waiter, Task<Void, Never>?)? in
      guard let continuation = content.runs[key]?.waiting.removeValue(forKey: waiter) else {
        return nil
      }
      guard content.runs[key]?.waiting.isEmpty == true else { return (continuation, nil) }
      // A later caller must start a new run, because a cancelled run ends with an error.
      return (continuation, content.runs.removeValue(forKey: key)?.task)
    }
    left?.1?.cancel()
    left?.0.resume(returning: .cancelled)
  }

  private func end(_ key: Key, _ number: UInt64, _ outcome: Outcome) {
    let ended = content.withLock { content -> Run? in
      guard content.runs[key]?.number == number else { return nil }
      return content.runs.removeValue(forKey: key)
    }
    guard let ended else { return }
    for (waiter, continuation) in ended.waiting {
      continuation.resume(returning: Answer(outcome: outcome, isOwn: waiter == ended.owner))
    }
  }
}

extension AuthError {
  static var taskCancelled: AuthError {
    AuthError(.cancelled, "the task that asked was cancelled")
  }
}
