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

/// Runs a blocking step of a vault on a separate thread, and returns its result.
package func blocking<Value: Sendable>(
  _ step: @escaping @Sendable () throws(VaultFailure) -> Value
) async throws(VaultFailure) -> Value {
  let result: Result<Value, VaultFailure>
  do throws(SystemError) {
    result = try await onThread { Result { () throws(VaultFailure) in try step() } }
  } catch {
    throw .unexpected("no thread could be started: \(error)")
  }
  return try result.get()
}
