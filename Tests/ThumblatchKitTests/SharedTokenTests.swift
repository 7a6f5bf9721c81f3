import Observation
import Testing
import ThumblatchKitTesting

@testable import ThumblatchKit

/// Tokens shared by concurrent tasks, and answers that come late.
@Suite(.timeLimit(.minutes(10)))
struct SharedTokenTests {
  private static func protected(
    _ presenter: ScriptedPresenter,
    _ configuration: AuthConfiguration = AuthConfiguration()
  ) async throws -> Session {
    try await Session.signedIn(configuration, protected: true, presenter: presenter)
  }

  /// A session whose prompts wait until the test touches.
  private static func waitingForATouch() async throws -> Session {
    try await protected(ScriptedPresenter(.ignores))
  }

  @Test
  func whoBeganMayLeaveWhileThePromptIsOpen() async throws {
    let made = try await Self.waitingForATouch()
    let session = made.session
    let first = Task { await error { () throws(AuthError) in try await session.accessToken() } }
    try await until { made.presenter.prompts.count == 1 }
    let others = (0..<20).map { _ in Task { try await session.accessToken().value } }
    try await until { session.tokens.waiting == 21 }
    first.cancel()
    #expect(await first.value?.kind == .cancelled)
    // The prompt belongs to all waiters, so it stays.
    let prompt = try #require(made.presenter.prompts.first)
    #expect(session.state == .presencePrompt(prompt))
    made.vault.touch()
    for other in others { #expect(try await other.value == "at-1") }
    #expect(made.presenter.prompts.count == 1)
    #expect(session.state == .locked(Session.user))
  }

  @Test
  func whoBeganMayLeaveBeforeThePromptComes() async throws {
    let made = try await Self.protected(ScriptedPresenter(.touches))
    made.vault.hold()
    let session = made.session
    let first = Task { await error { () throws(AuthError) in try await session.accessToken() } }
    try await until { made.vault.count(of: .accessToken) == 1 }
    let other = Task { try await session.accessToken().value }
    try await until { session.tokens.waiting == 2 }
    first.cancel()
    #expect(await first.value?.kind == .cancelled)
    made.vault.letGo()
    #expect(try await other.value == "at-1")
  }

  @Test
  func thePromptGoesAwayWithTheLastWhoWaits() async throws {
    let made = try await Self.waitingForATouch()
    let session = made.session
    let tasks = (0..<3).map { _ in
      Task { await error { () throws(AuthError) in try await session.accessToken() } }
    }
    try await until { made.presenter.prompts.count == 1 && session.tokens.waiting == 3 }
    for task in tasks { task.cancel() }
    for task in tasks { #expect(await task.value?.kind == .cancelled) }
    try await until { session.state == .locked(Session.user) }
    #expect(made.vault.refreshes == 0)
  }

  @Test
  func differentLifetimesCauseOnePrompt() async throws {
    let made = try await Self.waitingForATouch()
    let session = made.session
    let short = (0..<10).map { _ in Task { try await session.accessToken().value } }
    try await until { made.presenter.prompts.count == 1 }
    let long = (0..<10).map { _ in
      Task { try await session.accessToken(minimumLifetime: .seconds(1800)).value }
    }
    try await until { session.tokens.waiting == 20 }
    made.vault.touch()
    for task in short + long { #expect(try await task.value == "at-1") }
    #expect(made.presenter.prompts.count == 1)
    #expect(made.vault.refreshes == 1)
  }

  @Test
  func whatOthersWereGivenIsNotTakenWhereItIsTooShort() async throws {
    let made = try await Session.signedIn()
    _ = try await made.session.accessToken()
    made.clock.advance(by: .seconds(3000))
    made.session.forget()
    made.vault.hold()
    let session = made.session
    let short = Task { try await session.accessToken().value }
    try await until { made.vault.count(of: .accessToken) == 2 }
    let long = Task { try await session.accessToken(minimumLifetime: .seconds(1800)).value }
    try await until { session.tokens.waiting == 2 }
    made.vault.letGo()
    #expect(try await short.value == "at-1")
    #expect(try await long.value == "at-2")
  }

  /// The vault has a token for the one, and the person has refused the other.
  @Test
  func theFailureOfALongerRequestIsNotThatOfAShorterOne() async throws {
    let made = try await Session.signedIn()
    _ = try await made.session.accessToken()
    made.clock.advance(by: .seconds(3000))
    made.session.forget()
    made.vault.hold()
    made.vault.set { $0.refreshFailures = [AuthError(.cancelled, "the person said no")] }
    let session = made.session
    let long = Task {
      await error { () throws(AuthError) in
        try await session.accessToken(minimumLifetime: .seconds(1800))
      }
    }
    try await until { made.vault.count(of: .accessToken) == 2 }
    let short = Task { try await session.accessToken().value }
    try await until { session.tokens.waiting == 2 }
    made.vault.letGo()
    #expect(await long.value?.kind == .cancelled)
    #expect(try await short.value == "at-1")
    #expect(made.vault.refreshes == 1)
  }

  @Test
  func aCallerWithATerminalGetsAPromptAlthoughTheBackgroundGetsNone() async throws {
    let made = try await Session.signedIn()
    _ = try await made.session.accessToken()
    made.vault.set { settings in
      settings.account?.isProtected = true
      settings.failures[.accessToken] = [AuthError(.offline, "no network")]
    }
    made.session.forget()
    _ = await error { () throws(AuthError) in try await made.session.accessToken() }
    made.vault.expireToken()
    made.vault.hold()
    made.network.change()
    try await until { made.vault.count(of: .accessToken) == 3 }
    let session = made.session
    let asked = Task { try await session.accessToken().value }
    try await until { made.vault.count(of: .accessToken) == 4 }
    made.vault.letGo()
    #expect(try await asked.value == "at-2")
    #expect(made.presenter.prompts.count == 1)
  }

  @Test
  func aTokenThatComesAfterALockIsNeitherKeptNorHandedOut() async throws {
    let made = try await Self.protected(
      ScriptedPresenter(.touches),
      AuthConfiguration(refusesWhileLocked: true)
    )
    let session = made.session
    try await session.unlock()
    made.vault.hold([.accessToken])
    let late = Task { await error { () throws(AuthError) in try await session.accessToken() } }
    try await until { made.vault.count(of: .accessToken) == 1 }
    try await session.lock()
    made.vault.letGo()
    #expect(await late.value?.kind == .locked)
    #expect(session.cachedAccessToken == nil)
    let refused = await error { () throws(AuthError) in try await session.accessToken() }
    #expect(refused?.kind == .locked)
  }

  @Test
  func aTokenThatWasPaidForByATouchIsKeptUntilTheNextLock() async throws {
    let made = try await Session.signedIn(protected: true)
    let token = try await made.session.accessToken()
    #expect(try await made.session.accessToken() == token)
    #expect(made.session.cachedAccessToken == token)
    #expect(made.vault.count(of: .accessToken) == 1)
    try await made.session.lock()
    #expect(made.session.cachedAccessToken == nil)
  }

  @Test
  func aTokenThatComesAfterASignOutIsDropped() async throws {
    let made = try await Session.signedIn()
    let session = made.session
    made.vault.set { $0.signOut = SignOutOutcome(.ended) }
    made.vault.hold([.accessToken])
    let late = Task { await error { () throws(AuthError) in try await session.accessToken() } }
    try await until { made.vault.count(of: .accessToken) == 1 }
    _ = try await session.logout()
    made.vault.letGo()
    #expect(await late.value?.kind == .signedOut)
    #expect(session.cachedAccessToken == nil)
    #expect(session.state == .unauthenticated)
  }

  @Test
  func aLoginOfAnotherPersonGetsTokensOfItsOwn() async throws {
    let made = try await Session.signedIn()
    made.vault.set { $0.users = ["bob@example.com": "pw"] }
    let first = try await made.session.accessToken()
    try await made.session.login(email: "bob@example.com", password: try Password("pw"))
    #expect(made.session.cachedAccessToken == nil)
    #expect(try await made.session.accessToken() != first)
  }

  @Test
  func aRejectedTokenForAnotherAudienceIsReplacedByOneForIt() async throws {
    let made = try await Session.signedIn()
    let usual = try await made.session.accessToken()
    let other = try await made.session.accessToken(audience: "https://files.example")
    let newer = try await made.session.accessToken(
      replacing: other,
      audience: "https://files.example"
    )
    #expect(newer != other)
    #expect(made.session.cachedAccessToken == usual)
  }

  @Test
  func beforeRestoreTheVaultIsAskedHowTheAccountStands() async throws {
    let made = try Session(AuthConfiguration(refusesWhileLocked: true))
    made.vault.signIn(Session.user, protected: true)
    let refused = await error { () throws(AuthError) in try await made.session.accessToken() }
    #expect(refused?.kind == .locked)
    #expect(made.session.state == .locked(Session.user))
    #expect(made.vault.count(of: .accessToken) == 0)
    try await until { made.vault.listenerCount == 1 }
  }

  @Test
  func aVaultThatIsRestartedTakesItsWindowAndTheTokenAlong() async throws {
    let made = try await Self.protected(ScriptedPresenter(.touches))
    try await made.session.unlock()
    _ = try await made.session.accessToken()
    #expect(made.session.cachedAccessToken != nil)
    try await until { made.vault.listenerCount == 1 }
    made.vault.restart()
    try await until { made.session.state == .locked(Session.user) }
    #expect(made.session.cachedAccessToken == nil)
    // The next call brings it back, without a wait.
    _ = try await made.session.accessToken()
    try await until { made.vault.listenerCount == 1 }
    made.vault.set { $0.isUnlocked = true }
    try await until { made.session.state == .authenticated(Session.user) }
  }

  @Test
  func anObserverReadsTheNewStateAtOnce() async throws {
    let made = try await Session.signedIn()
    let session = made.session
    // The observer reads at once, and finds the new state.
    let read = withObserved(session)
    try await session.logout()
    #expect(await read.value == .unauthenticated)
  }

  private func withObserved(_ session: AuthSession) -> Task<AuthState, Never> {
    let (told, tell) = AsyncStream.makeStream(of: AuthState.self)
    observe(session, tell)
    return Task {
      var last = AuthState.authenticating
      for await state in told where state == .unauthenticated {
        last = state
        break
      }
      return last
    }
  }
}

/// Reads the state in `onChange`, which a session calls on its own thread.
private func observe(_ session: AuthSession, _ tell: AsyncStream<AuthState>.Continuation) {
  withObservationTracking {
    _ = session.state
  } onChange: { [weak session] in
    guard let session else { return }
    observe(session, tell)
    tell.yield(session.state)
  }
}
