import AuthSession
import AuthSessionTesting
import Testing

/// What tasks share that ask at once, and what stays each one's own.
@Suite(.timeLimit(.minutes(1)))
struct SharedPromptTests {
  /// A session whose prompts stand in its state until the test answers them.
  private func session(
    _ configuration: AuthConfiguration = AuthConfiguration()
  ) async throws -> (AuthSession, Session) {
    let made = try Session()
    made.vault.signIn(Session.user, protected: true)
    let session = AuthSession(
      account: "me",
      configuration: configuration,
      presenter: StatePresenter(),
      vault: made.vault,
      clock: made.clock,
      network: made.network
    )
    try await session.restore()
    return (session, made)
  }

  private func prompt(of session: AuthSession) async throws -> PresencePrompt {
    var found: PresencePrompt?
    try await until {
      if case .presencePrompt(let prompt) = session.state { found = prompt }
      return found != nil
    }
    return try #require(found)
  }

  @Test
  func whoAskedFirstAndLeavesTakesThePromptFromNobody() async throws {
    let (session, made) = try await session()
    let first = Task { await error { () throws(AuthError) in try await session.accessToken() } }
    let prompt = try await prompt(of: session)
    let second = Task { try await session.accessToken().value }
    // One for another length joins no call, but the same prompt would be asked of the person.
    for _ in 0..<1000 { await Task.yield() }
    first.cancel()
    #expect(await first.value?.kind == .cancelled)
    #expect(session.state == .presencePrompt(prompt))
    prompt.touch()
    #expect(try await second.value == "at-1")
    #expect(made.vault.refreshes == 1)
    #expect(session.state == .locked(Session.user))
  }

  @Test
  func thePromptGoesWhenTheLastOneLeaves() async throws {
    let (session, made) = try await session()
    let tasks = (0..<20).map { _ in
      Task { await error { () throws(AuthError) in try await session.accessToken() } }
    }
    let prompt = try await prompt(of: session)
    for task in tasks { task.cancel() }
    for task in tasks { #expect(await task.value?.kind == .cancelled) }
    try await until { prompt.phase == .ended(passed: false) }
    try await until { session.state == .locked(Session.user) }
    #expect(made.vault.refreshes == 0)
  }

  @Test
  func aTokenThatComesAfterTheSignOutIsNotKept() async throws {
    let made = try await Session.signedIn()
    made.vault.hold()
    let session = made.session
    let late = Task { try await session.accessToken().value }
    try await until { made.vault.count(of: .accessToken) == 1 }
    // Somebody else signs out; the call that is under way has its token already.
    made.vault.set { $0.account?.standing = .signedOut }
    try await until { session.state == .unauthenticated }
    made.vault.set { $0.account?.standing = .signedIn }
    made.vault.letGo()
    #expect(try await late.value == "at-1")
    #expect(session.cachedAccessToken == nil)
  }

  @Test
  func aTokenThatWasPaidForByATouchIsKeptUntilTheSessionLocksAnew() async throws {
    let made = try await Session.signedIn(protected: true)
    let token = try await made.session.accessToken()
    #expect(try await made.session.accessToken() == token)
    #expect(made.session.cachedAccessToken == token)
    #expect(made.vault.count(of: .accessToken) == 1)
    try await made.session.lock()
    #expect(made.session.cachedAccessToken == nil)
  }

  @Test
  func whoMayBeAskedDoesNotShareTheFailureOfOneWhoAsksNobody() async throws {
    let made = try await Session.signedIn(protected: true)
    made.vault.set { settings in
      settings.isUnlocked = true
      settings.failures[.accessToken] = [AuthError(.offline, "no network")]
    }
    _ = await error { () throws(AuthError) in try await made.session.accessToken() }
    made.vault.set { $0.isUnlocked = false }
    made.vault.hold()
    made.network.change()
    try await until { made.vault.count(of: .accessToken) == 2 }
    let session = made.session
    let asked = Task { try await session.accessToken().value }
    try await until { made.vault.count(of: .accessToken) == 3 }
    made.vault.letGo()
    #expect(try await asked.value == "at-1")
    #expect(made.presenter.prompts.count == 1)
  }

  @Test
  func theFailuresOfWhoWasSignedOutAreNotHeldAgainstWhoComesNext() async throws {
    let made = try await Session.signedIn(
      AuthConfiguration(failedChecksBeforeSignOut: 1),
      protected: true,
      presenter: ScriptedPresenter(.types("wrong"), .cancels)
    )
    made.vault.set { $0.users["ada@example.com"] = "right" }
    _ = await error { () throws(AuthError) in try await made.session.unlock() }
    #expect(!made.session.isAuthenticated)
    try await made.session.login(email: "ada@example.com", password: try Password("right"))
    let failure = await error { () throws(AuthError) in try await made.session.unlock() }
    #expect(failure?.kind == .presence(.cancelled))
    #expect(made.session.isAuthenticated)
    #expect(made.vault.count(of: .signOut) == 1)
  }

  @Test
  func whoChoosesThePasswordWhereItDoesNotCountIsGivenItByTheApp() async throws {
    let made = try await Session.signedIn(
      AuthConfiguration(presencePolicy: .fingerprint),
      protected: true,
      presenter: ScriptedPresenter(.types("system password"))
    )
    let failure = await error { () throws(AuthError) in try await made.session.unlock() }
    #expect(failure?.kind == .presence(.passwordChosen))
    #expect(failure?.recovery == .usePassword)
    #expect(made.session.state == failure.map { .error($0) })
    try await made.session.unlock(policy: .password)
    #expect(made.session.state == .authenticated(Session.user))
    #expect(made.presenter.prompts.last?.allowsFingerprint == false)
  }
}
