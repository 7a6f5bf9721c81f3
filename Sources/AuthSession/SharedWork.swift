internal import Synchronization

/// Work that many tasks wait for and that is done once.
///
/// A task that is cancelled leaves alone; the work itself is cancelled when the last one has left.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, AuthError>

  private struct Run {
    var number: UInt64
    var task: Task<Void, Never>?
    var waiting: [UInt64: CheckedContinuation<Outcome, Never>] = [:]
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

  /// The result of the work under this key: of the one that runs, else of `work`.
  func value(
    for key: Key,
    _ work: @escaping @Sendable () async throws(AuthError) -> Value
  ) async throws(AuthError) -> Value {
    let waiter = content.withLock { $0.number() }
    let outcome: Outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        join(key, waiter, continuation, work)
      }
    } onCancel: {
      leave(key, waiter)
    }
    return try outcome.get()
  }

  private func join(
    _ key: Key,
    _ waiter: UInt64,
    _ continuation: CheckedContinuation<Outcome, Never>,
    _ work: @escaping @Sendable () async throws(AuthError) -> Value
  ) {
    // Cancelled before it came here: its handler found nothing to take away.
    guard !Task.isCancelled else {
      return continuation.resume(returning: .failure(.taskCancelled))
    }
    content.withLock { content in
      if content.runs[key] != nil {
        content.runs[key]?.waiting[waiter] = continuation
        return
      }
      var run = Run(number: content.number())
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
    // Cancelled while it joined: the handler may have come too early.
    if Task.isCancelled { leave(key, waiter) }
  }

  private func leave(_ key: Key, _ waiter: UInt64) {
    let left = content.withLock {
      content -> (CheckedContinuation<Outcome, Never>, Task<Void, Never>?)? in
      guard let continuation = content.runs[key]?.waiting.removeValue(forKey: waiter) else {
        return nil
      }
      guard content.runs[key]?.waiting.isEmpty == true else { return (continuation, nil) }
      // Who asks from now on begins anew: a run that is given up ends with an error.
      return (continuation, content.runs.removeValue(forKey: key)?.task)
    }
    left?.1?.cancel()
    left?.0.resume(returning: .failure(.taskCancelled))
  }

  private func end(_ key: Key, _ number: UInt64, _ outcome: Outcome) {
    let waiting = content.withLock { content -> [CheckedContinuation<Outcome, Never>] in
      guard content.runs[key]?.number == number else { return [] }
      return content.runs.removeValue(forKey: key).map { Array($0.waiting.values) } ?? []
    }
    for continuation in waiting { continuation.resume(returning: outcome) }
  }
}

extension AuthError {
  /// The task that asked was cancelled.
  static var taskCancelled: AuthError {
    AuthError(.cancelled, "the task that asked was cancelled")
  }
}
