import Observation
import Synchronization
import ThumblatchKit

/// The page's data besides the session: the last notice, the typed form, and the running task.
final class PageState: Sendable, Observable {
  private struct Content {
    var notice: Notice?
    var draft = Draft()
    var isAskedLater = false
    /// The running task.
    var task: Task<Void, Never>?
  }

  private let content = Mutex(Content())
  private let registrar = ObservationRegistrar()

  /// The notice to show until the next action.
  var notice: Notice? {
    get { read { $0.notice } }
    set { change { $0.notice = newValue } }
  }

  /// The typed values of the shown form.
  var draft: Draft {
    get { read { $0.draft } }
    set { change { $0.draft = newValue } }
  }

  /// Whether the person answered "maybe later" to the question about presence protection.
  var isAskedLater: Bool {
    get { read { $0.isAskedLater } }
    set { change { $0.isAskedLater = newValue } }
  }

  /// Whether a task is running.
  var isBusy: Bool { read { $0.task != nil } }

  /// Starts a task; false if another one is running.
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

  /// Cancels the running task, which ends a moment later.
  func cancel() {
    read { $0.task }?.cancel()
  }

  private func read<Value>(_ body: (Content) -> Value) -> Value {
    registrar.access(self, keyPath: \.notice)
    return content.withLock { body($0) }
  }

  private func change<Value>(_ body: (inout Content) -> Value) -> Value {
    let value = content.withLock { body(&$0) }
    // After the change: an observer reads the new value at once.
    registrar.withMutation(of: self, keyPath: \.notice) {}
    return value
  }
}

/// Waits until a condition on observed objects holds; returns whether it did within the limit.
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
        // A change between reading and observing would be missed, so check again.
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
