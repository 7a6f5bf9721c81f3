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

  /// Takes the reader for an operation; false while another has it.
  func take(_ operation: AnyObject) -> Bool {
    state.withLock { state in
      guard state.owner == nil else { return false }
      state.owner = ObjectIdentifier(operation)
      return true
    }
  }

  /// Gives the reader back.
  func release(_ operation: AnyObject) {
    state.withLock { state in
      if state.owner == ObjectIdentifier(operation) { state.owner = nil }
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
