internal import Glibc

/// A thread that runs the other side of a test.
///
/// The test runner has too few threads of its own to block two at once.
public final class BackgroundThread: @unchecked Sendable {
  private let body: @Sendable () throws -> Void
  private var problem: (any Error)?
  private var thread = pthread_t()

  /// Starts the thread.
  public init(_ body: @escaping @Sendable () throws -> Void) {
    self.body = body
    let context = unsafe Unmanaged.passRetained(self).toOpaque()
    let status = unsafe pthread_create(
      &thread,
      nil,
      { context in
        guard let context = unsafe context else { return nil }
        let thread = unsafe Unmanaged<BackgroundThread>.fromOpaque(context).takeRetainedValue()
        do { try thread.body() } catch { thread.problem = error }
        return nil
      },
      context
    )
    precondition(status == 0, "no thread for the script")
  }

  /// Waits for the end of the thread, and returns its error.
  public func join() -> (any Error)? {
    pthread_join(thread, nil)
    return problem
  }
}
