internal import Synchronization

/// A login that a person is about to end at the provider.
///
/// It is given up when nobody holds it any more.
public final class PendingLogin: Sendable {
  /// What to show to the person: a URL for the browser, or a code.
  public let prompt: LoginPrompt
  private let login: any PendingVaultLogin
  private let session: AuthSession
  private let isOver = Mutex(false)

  /// What `finish` or `wait` does at the moment.
  private struct Running {
    var task: Task<Result<AccountSnapshot, AuthError>, Never>?
    /// It was given up, perhaps before there was a task.
    var isCancelled = false
  }

  private let running = Mutex(Running())

  init(_ login: any PendingVaultLogin, _ session: AuthSession) {
    self.login = login
    self.session = session
    prompt = login.prompt
  }

  deinit {
    if claimEnd() { session.endSigningIn(.taskCancelled) }
  }

  /// Ends it with what the browser brought back: all behind the question mark of the redirect.
  ///
  /// It can be done once: what comes a second time is refused.
  @discardableResult
  public func finish(query: String) async throws(AuthError) -> User {
    try await finish(try RedirectQuery(query))
  }

  /// The same with what a listener has read.
  func finish(_ query: RedirectQuery) async throws(AuthError) -> User {
    try await end { [login] asking throws(AuthError) in
      try await login.finish(query: query, asking)
    }
  }

  /// Waits until the person has said yes or no at the other device.
  @discardableResult
  public func wait() async throws(AuthError) -> User {
    try await end { [login] asking throws(AuthError) in try await login.wait(asking) }
  }

  /// Gives it up; whoever waits for it gets `cancelled`, unless the login has just come.
  public func cancel() async {
    await giveUp(.taskCancelled)
  }

  /// Gives it up for this reason.
  func giveUp(_ error: AuthError) async {
    guard claimEnd() else {
      running.withLock { running in
        running.isCancelled = true
        running.task?.cancel()
      }
      return
    }
    await login.cancel()
    session.endSigningIn(error)
  }

  private func run(
    _ body: @escaping @Sendable () async throws(AuthError) -> AccountSnapshot
  ) async throws(AuthError) -> AccountSnapshot {
    let task = Task { () -> Result<AccountSnapshot, AuthError> in
      do throws(AuthError) { return .success(try await body()) } catch { return .failure(error) }
    }
    running.withLock { running in
      running.task = task
      if running.isCancelled { task.cancel() }
    }
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
      throw AuthError(.invalidArgument, "the login has ended", recoverySuggestion: "begin anew")
    }
    // Where another person than a protected account's has signed in.
    let check = PresenceCall(session, reason: session.configuration.presenceReason)
    defer { check.end() }
    let asking = check.asking
    do throws(AuthError) {
      let account = try await run { () throws(AuthError) in try await body(asking) }
      await session.endSigningIn(account)
      return account.user
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
