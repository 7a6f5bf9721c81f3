internal import CLinux
internal import Glibc

/// Starts a separate thread for blocking work, so that it occupies no thread of a pool.
///
/// - Throws: EAGAIN if no thread can be created (pthread_create(3)).
package func startThread(_ work: @escaping @Sendable () -> Void) throws(SystemError) {
  var attributes = pthread_attr_t()
  unsafe pthread_attr_init(&attributes)
  defer { unsafe pthread_attr_destroy(&attributes) }
  unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  var thread = pthread_t()
  let context = unsafe Unmanaged.passRetained(ThreadWork(work))
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

private final class ThreadWork: Sendable {
  let work: @Sendable () -> Void

  init(_ work: @escaping @Sendable () -> Void) {
    self.work = work
  }
}
