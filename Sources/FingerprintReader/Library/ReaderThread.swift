internal import CFprint
internal import Synchronization

/// The only thread that calls libfprint: it owns the global default main context.
///
/// The context must be the global one, because enumeration waits on it whatever context a thread
/// has pushed. There is only one thread, because a cancel from another thread races inside
/// libfprint.
final class ReaderThread: Sendable {
  /// The thread of this process, started with the first operation.
  static let shared = ReaderThread()

  private struct State {
    var isRunning = false
    var work: [@Sendable () -> Void] = []
    /// The operation that holds the reader; there is never a second.
    var owner: ObjectIdentifier?
    /// Whether its result is known and it only releases the reader.
    var isEnding = false
    /// Whether its driver does not stop.
    var hangs = false
    /// The operation that begins after it.
    var next: (@Sendable () -> Void)?
    /// The calls to make when the reader is free.
    var whenFree: [@Sendable () -> Void] = []

    /// Lets the callers go on that wait for the reader: it is free, or found busy.
    mutating func endWaiting() {
      isEnding = false
      work += whenFree
      whenFree = []
      if let next { work.append(next) }
      next = nil
    }
  }

  /// The result of a request for the reader.
  enum Taking {
    case taken
    /// The current operation is about to release the reader; `next` begins then.
    case later
    case busy
  }

  private let state = Mutex(State())

  /// Runs work on the thread, in order.
  ///
  /// - Throws: `failed` if the thread cannot be started.
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

  /// Runs work on the thread, and waits for its end, so that a flood of work slows its source.
  func performAndWait(_ work: @escaping @Sendable () -> Void) {
    let operation = ReaderOperation<Void>()
    guard
      (try? perform {
        work()
        operation.finish(.success(()))
      }) != nil
    else { return }
    _ = try? operation.wait()
  }

  /// Takes the reader for an operation, at once or as soon as an ending operation releases it.
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

  /// Whether this operation holds the reader.
  func isTaken(by operation: AnyObject) -> Bool {
    state.withLock { $0.owner == ObjectIdentifier(operation) }
  }

  /// Whether an operation holds the reader and will release it.
  var isInUse: Bool { state.withLock { $0.owner != nil && !$0.hangs } }

  /// Calls `body` on this thread when no operation holds the reader; at once if none does.
  func whenFree(_ body: @escaping @Sendable () -> Void) {
    let isFree = state.withLock { state in
      guard state.owner != nil, !state.hangs else { return true }
      state.whenFree.append(body)
      return false
    }
    if isFree { body() }
  }

  /// Marks an operation as one that only releases the reader.
  func markEnding(_ operation: AnyObject) {
    state.withLock { state in
      if state.owner == ObjectIdentifier(operation) { state.isEnding = true }
    }
  }

  /// Marks the driver of an operation as hung: the reader stays taken, and callers do not wait for
  /// it.
  func giveUp(_ operation: AnyObject) {
    state.withLock { state in
      guard state.owner == ObjectIdentifier(operation) else { return }
      state.hangs = true
      // The next operation will find the reader busy.
      state.endWaiting()
    }
  }

  func release(_ operation: AnyObject) {
    state.withLock { state in
      guard state.owner == ObjectIdentifier(operation) else { return }
      state.owner = nil
      state.hangs = false
      state.endWaiting()
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
    // No other code in a program with this room iterates the default context, so it is free.
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
