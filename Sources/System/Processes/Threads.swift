internal import CLinux
internal import Glibc

/// Starts a separate thread for blocking work, so that it occupies no thread of a pool.
///
/// The thread takes no signal that is sent to its process. Otherwise one that the caller blocks
/// later could reach the thread, and end the process.
///
/// - Throws: EAGAIN if no thread can be created (pthread_create(3)).
package func startThread(_ work: @escaping @Sendable () -> Void) throws(SystemError) {
  var attributes = pthread_attr_t()
  unsafe pthread_attr_init(&attributes)
  defer { unsafe pthread_attr_destroy(&attributes) }
  unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  var thread = pthread_t()
  let context = unsafe Unmanaged.passRetained(ThreadWork(work))
  var signals = ofTheProcess()
  var before = sigset_t()
  // pthread_create(3): "The new thread inherits a copy of the creating thread's signal mask".
  unsafe pthread_sigmask(SIG_SETMASK, &signals, &before)
  defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
  let code = unsafe pthread_create(
    &thread,
    &attributes,
    { context in
      guard let context = unsafe context else { return nil }
      unsafe Unmanaged<ThreadWork>.fromOpaque(context).takeRetainedValue().work()
      return nil
    },
    context.toOpaque()
  )
  guard code == 0 else {
    unsafe context.release()
    throw SystemError("pthread_create", code: code)
  }
}

/// All signals except those that the thread itself causes (signal(7)).
///
/// If a thread blocks SIGTTOU, it may change a terminal from the background (tcsetattr(3)). If it
/// blocks SIGSEGV, an error ends the process without its handler.
private func ofTheProcess() -> sigset_t {
  var signals = sigset_t()
  unsafe sigfillset(&signals)
  let own = [
    SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPIPE, SIGXFSZ, SIGTTIN, SIGTTOU,
  ]
  for signal in own { unsafe sigdelset(&signals, signal) }
  return signals
}

private final class ThreadWork: Sendable {
  let work: @Sendable () -> Void

  init(_ work: @escaping @Sendable () -> Void) {
    self.work = work
  }
}
