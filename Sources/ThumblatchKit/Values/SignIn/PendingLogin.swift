internal import Synchronization

/// A sign-in that a person must still complete at the provider.
///
/// It is cancelled when its last reference is released.
public final class PendingLogin: Sendable {
  /// The data for the person: a URL for the browser, or a code.
  public let prompt: LoginPrompt
  private let pending: any PendingVaultLogin
  private let session: AuthSession
  private let isOver = Mutex(false)

  /// The work of `finish` or `wait` that runs at the moment.
  private struct Running {
    var task: Task<Result<AccountSnapshot, AuthError>, Never>?
    /// The sign-in was given up, possibly before the task existed.
    var isCancelled = false
  }

  private let running = Mutex(Running())

  init(_ pending: any PendingVaultLogin, _ session: AuthSession) {
    self.pending = pending
    self.session = session
    prompt = pending.prompt
  }

  deinit {
    if claimEnd() { session.endSigningIn(.taskCancelled) }
  }

  /// Completes the sign-in with the query of the redirect: all text after the question mark.
  ///
  /// Call it once. A second call throws `invalidArgument`.
  @discardableResult
  public func finish(query: String) async throws(AuthError) -> User {
    try await finish(try RedirectQuery(query))
  }

  /// Completes the sign-in with the query that a listener has read.
  func finish(_ query: RedirectQuery) async throws(AuthError) -> User {
    try await end { [pending] asking throws(AuthError) in
      try await pending.finish(query: query, asking)
    }
  }

  /// Waits until the person has accepted or refused on the other device.
  @discardableResult
  public func wait() async throws(AuthError) -> User {
    try await end { [pending] asking throws(AuthError) in try await pending.wait(asking) }
  }

  /// Gives the sign-in up.
  ///
  /// A call that waits for it throws `cancelled`, unless the sign-in has just succeeded.
  public func cancel() async {
    await giveUp(.taskCancelled)
  }

  /// Gives the sign-in up for this reason.
  func giveUp(_ error: AuthError) async {
    guard claimEnd() else {
      let task = running.withLock { running in
        running.isCancelled = true
        return running.task
      }
      task?.cancel()
      return
    }
    await pending.cancel()
    session.endSigningIn(error)
  }

  private func run(
    _ body: @escaping @Sendable () async throws(AuthError) -> AccountSnapshot
  ) async throws(AuthError) -> AccountSnapshot {
    let task = Task { () -> Result<AccountSnapshot, AuthError> in
      do throws(AuthError) { return .success(try await body()) } catch { return .failure(error) }
    }
    let isCancelled = running.withLock { running in
      running.task = task
      return running.isCancelled
    }
    if isCancelled { task.cancel() }
    let outcome = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    running.withLock { $0.task = nil }
    return try outcome.get()
  }

  private func end(
    _ body: @escaping @Sendable (PresenceAsking) async throws(AuthError) -> AccountSnapshot
  ) async throws(AuthError) -> User {
    guard claimEnd() else {
      throw AuthError(.invalidArgument, "the sign-in has ended", recoverySuggestion: "begin again")
    }
    // A prompt is needed if the account is protected and another person has signed in.
    let check = PresenceCall(session, reason: session.configuration.presenceReason)
    defer { check.end() }
    let asking = check.asking
    do throws(AuthError) {
      return await session.endSigningIn(
        try await run { () throws(AuthError) in try await body(asking) }
      )
    } catch {
      session.endSigningIn(error)
      throw error
    }
  }

  private func claimEnd() -> Bool {
    isOver.withLock { isOver in
      defer { isOver = true }
      return !isOver
    }
  }
}
