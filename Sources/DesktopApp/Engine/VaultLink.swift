internal import System
internal import VaultClient

/// The app's way to the vault: each call has a connection and a thread of its own.
///
/// A call may wait for a person or a provider, so it must hold no thread of Swift's pool.
struct VaultLink: Sendable {
  let location: VaultLocation
  /// Shows the prompts of calls that need a presence check.
  let desk: PromptDesk

  /// Makes a call by `body`, which gets the prompt whose check has passed, or `nil` at first.
  ///
  /// The event `interrupt` ends it with the error `interrupted`, and `note` learns when a prompt of
  /// the call opens and ends.
  func call<Value: Sendable>(
    again: Repetition = .always,
    interrupt: SharedWake? = nil,
    telling note: @escaping @Sendable (_ isOpen: Bool) -> Void = { _ in },
    _ body: @escaping @Sendable (Connection, String?) throws(VaultClientError) -> Value
  ) async throws(VaultClientError) -> Value {
    try await onThread(interrupt: interrupt) { [desk] calls throws(VaultClientError) in
      try calls.run(again: again, asking: desk.asker(telling: note), body)
    }
  }

  /// Runs `body` on a thread of its own, with calls that have their own connection.
  ///
  /// The event `interrupt` ends each wait of these calls.
  func onThread<Value: Sendable>(
    interrupt: SharedWake? = nil,
    _ body: @escaping @Sendable (VaultCalls) throws(VaultClientError) -> Value
  ) async throws(VaultClientError) -> Value {
    try await DesktopApp.onThread(orElse: VaultClientError.system) {
      [location] () throws(VaultClientError) in
      let interrupt = interrupt?.event.descriptor.number
      return try body(
        VaultCalls(interrupt: interrupt) { () throws(VaultClientError) in
          try location.connect(interrupt: interrupt)
        }
      )
    }
  }
}

/// Runs `body` on a thread of its own; `failure` makes the error if none can be started.
func onThread<Value: Sendable, Failure: Error>(
  orElse failure: @Sendable (SystemError) -> Failure,
  _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
  let outcome: Result<Value, Failure> = await withCheckedContinuation { waiting in
    do throws(SystemError) {
      try startThread { waiting.resume(returning: Result(catching: body)) }
    } catch {
      waiting.resume(returning: .failure(failure(error)))
    }
  }
  return try outcome.get()
}
