import AuthSession
import Observation
import Synchronization

/// What the page knows beside the session: what was said last, what was typed, what is under way.
final class Desk: Sendable, Observable {
  private struct Content {
    var notice: Notice?
    var draft = Draft()
    var isAskedLater = false
    /// What was asked for and is not done yet.
    var task: Task<Void, Never>?
  }

  private let content = Mutex(Content())
  private let registrar = ObservationRegistrar()

  /// Said until something else is done.
  var notice: Notice? {
    get { read { $0.notice } }
    set { change { $0.notice = newValue } }
  }

  /// What was typed into the form that is shown.
  var draft: Draft {
    get { read { $0.draft } }
    set { change { $0.draft = newValue } }
  }

  /// The person was asked whether to protect the login, and said "maybe later".
  var isAskedLater: Bool {
    get { read { $0.isAskedLater } }
    set { change { $0.isAskedLater = newValue } }
  }

  /// Whether something that was asked for is not done yet.
  var isBusy: Bool { read { $0.task != nil } }

  /// Begins something; false: something else is not done yet.
  func begin(_ work: @escaping @Sendable () async -> Void) -> Bool {
    change { content in
      guard content.task == nil else { return false }
      content.notice = nil
      content.task = Task {
        await work()
        self.change { $0.task = nil }
      }
      return true
    }
  }

  /// Gives up what is under way; it has ended a moment later.
  func cancel() {
    read { $0.task }?.cancel()
  }

  private func read<Value>(_ body: (Content) -> Value) -> Value {
    registrar.access(self, keyPath: \.notice)
    return content.withLock { body($0) }
  }

  private func change<Value>(_ body: (inout Content) -> Value) -> Value {
    let value = content.withLock { body(&$0) }
    // After the change: who is told looks at once.
    registrar.withMutation(of: self, keyPath: \.notice) {}
    return value
  }
}

/// Waits until something holds that observed objects tell, at most for a time; whether it does.
func until(_ limit: Duration, _ holds: @escaping @Sendable () -> Bool) async -> Bool {
  await withTaskGroup(of: Bool.self) { group in
    group.addTask {
      let (changes, change) = AsyncStream.makeStream(
        of: Void.self,
        bufferingPolicy: .bufferingNewest(1)
      )
      var next = changes.makeAsyncIterator()
      repeat {
        if withObservationTracking(holds, onChange: { change.yield() }) { return true }
        // What changed after it was read, and before somebody listened, is told by nobody.
        if holds() { return true }
      } while await next.next() != nil
      return false
    }
    group.addTask {
      try? await Task.sleep(for: limit)
      return false
    }
    defer { group.cancelAll() }
    return await group.next() ?? false
  }
}
