package import System

/// Runs blocking work on a separate thread, and returns its result.
///
/// - Throws: EAGAIN if no thread can be created.
package func onThread<Value: Sendable>(
  _ work: @escaping @Sendable () -> Value
) async throws(SystemError) -> Value {
  let outcome: Result<Value, SystemError> = await withCheckedContinuation { continuation in
    do throws(SystemError) {
      try startThread { continuation.resume(returning: .success(work())) }
    } catch {
      continuation.resume(returning: .failure(error))
    }
  }
  return try outcome.get()
}
