internal import CFprint
internal import Synchronization

/// The one thread that calls libfprint: it owns the global default main context.
///
/// The global one, because enumeration waits on it whatever context a thread has pushed; and one
/// thread, because a cancel from another races inside libfprint.
final class ReaderThread: Sendable {
  /// The thread of this process, started with the first operation.
  static let shared = ReaderThread()

  private struct State {
    var isRunning = false
    var work: [@Sendable () -> Void] = []
    /// The operation that has the reader; there is never a second.
    var owner: ObjectIdentifier?
    /// Its result is known, and it only lets the reader go.
    var isEnding = false
    /// Its driver does not stop.
    var hangs = false
    /// What begins then.
    var next: (@Sendable () -> Void)?
    /// What is done when the reader is free.
    var whenFree: [@Sendable () -> Void] = []
  }

  /// What came of asking for the reader.
  enum Taking {
    case taken
    /// The last operation is about to let it go: what was given begins then.
    case later
    case busy
  }

  private let state = Mutex(State())

  /// Has work done on the thread, in order.
  ///
  /// - Throws: `failed` where no thread can be had.
  func perform(_ work: @escaping @Sendable () -> Void) throws(ReaderError) {
    let needsStart = state.withLock { state in
      state.work.append(work)
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if needsStart { try start() }
    // g_main_context_wakeup: "If context is currently blocking ... cause it to stop blocking and
    // return"; if it is not, its next iteration does not block.
    g_main_context_wakeup(nil)
  }

  /// Takes the reader for an operation, now or as soon as one that is ending has let it go.
  func take(_ operation: AnyObject, orLater next: @escaping @Sendable () -> Void) -> Taking {
    state.withLock { state in
      guard state.owner != nil else {
        state.owner = ObjectIdentifier(operation)
        return .taken
      }
      guard state.isEnding, !state.hangs, state.next == nil else { return .busy }
      state.next = next
      return .later
    }
  }

  /// Whether an operation has the reader.
  func isTaken(by operation: AnyObject) -> Bool {
    state.withLock { $0.owner == ObjectIdentifier(operation) }
  }

  /// Whether there is a reader to wait for.
  var isInUse: Bool { state.withLock { $0.owner != nil && !$0.hangs } }

  /// Does something when no operation has the reader, on this thread; now if none has.
  func whenFree(_ body: @escaping @Sendable () -> Void) {
    let isFree = state.withLock { state in
      guard state.owner != nil, !state.hangs else { return true }
      state.whenFree.append(body)
      return false
    }
    if isFree { body() }
  }

  /// From here on the operation only lets the reader go.
  func markEnding(_ operation: AnyObject) {
    state.withLock { state in
      if state.owner == ObjectIdentifier(operation) { state.isEnding = true }
    }
  }

  /// The driver of an operation hangs: the reader stays taken, and is not waited for.
  func giveUp(_ operation: AnyObject) {
    state.withLock { state in
      guard state.owner == ObjectIdentifier(operation) else { return }
      state.hangs = true
      state.isEnding = false
      state.work += state.whenFree
      state.whenFree = []
      // It finds the reader busy.
      if let next = state.next { state.work.append(next) }
      state.next = nil
    }
  }

  /// Gives the reader back.
  func release(_ operation: AnyObject) {
    state.withLock { state in
      guard state.owner == ObjectIdentifier(operation) else { return }
      state.owner = nil
      state.isEnding = false
      state.hangs = false
      state.work += state.whenFree
      state.whenFree = []
      if let next = state.next { state.work.append(next) }
      state.next = nil
    }
  }

  private func start() throws(ReaderError) {
    var error: UnsafeMutablePointer<GError>?
    let thread = unsafe g_thread_try_new(
      "reader",
      { _ in
        ReaderThread.shared.run()
        return nil
      },
      nil,
      &error
    )
    if let thread = unsafe thread {
      unsafe g_thread_unref(thread)
      return
    }
    state.withLock { $0 = State() }
    if let error = unsafe error { throw unsafe ReaderError(consuming: error) }
  }

  private func run() {
    // Nothing else in a program of this room iterates the default context, so that it is free.
    guard g_main_context_acquire(nil) != 0 else { return }
    while true {
      let work = state.withLock { state in
        defer { state.work = [] }
        return state.work
      }
      for item in work { item() }
      if work.isEmpty { _ = g_main_context_iteration(nil, 1) }
    }
  }
}
