import Synchronization
import Testing

@testable import ThumblatchKit
@testable import ThumblatchKitTesting

/// Access tokens.
@Suite(.timeLimit(.minutes(10)))
struct TokenTests {
  @Test
  func aValidTokenIsInMemoryAndCostsNoCall() async throws {
    let made = try await Session.signedIn()
    #expect(made.session.isAccessTokenExpiringSoon())
    let token = try await made.session.accessToken()
    for _ in 0..<100 { #expect(try await made.session.accessToken() == token) }
    #expect(made.session.cachedAccessToken == token)
    #expect(made.vault.count(of: .accessToken) == 1)
    #expect(!made.session.isAccessTokenExpiringSoon())
    #expect(made.session.accessTokenLifetime == .seconds(3600))
    made.clock.advance(by: .seconds(3301))
    #expect(made.session.isAccessTokenExpiringSoon())
    #expect(!made.session.isAccessTokenExpiringSoon(threshold: .seconds(60)))
    #expect(made.vault.count(of: .accessToken) == 1)
  }

  @Test
  func aTokenThatDoesNotLastLongEnoughIsReplaced() async throws {
    let made = try await Session.signedIn()
    let first = try await made.session.accessToken()
    made.clock.advance(by: .seconds(3591))
    let second = try await made.session.accessToken()
    #expect(second != first)
    #expect(try await made.session.accessToken(minimumLifetime: .seconds(3000)) == second)
    made.clock.advance(by: .seconds(3600))
    #expect(made.session.cachedAccessToken == nil)
    let best = try await made.session.accessToken(minimumLifetime: .seconds(7200))
    #expect(best.isShorterThanRequested)
  }

  @Test
  func aThousandTasksCauseOneRefreshAndOnePrompt() async throws {
    let made = try await Session.signedIn(protected: true)
    made.vault.hold()
    let session = made.session
    let tokens = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<1000 { group.addTask { try await session.accessToken().value } }
      group.addTask {
        try await until { session.tokens.waiting == 1000 }
        made.vault.letGo()
        return "at-1"
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(tokens == ["at-1"])
    #expect(made.vault.refreshes == 1)
    #expect(made.presenter.prompts.count == 1)
    #expect(made.vault.count(of: .accessToken) == 1)
  }

  @Test
  func oneFailureIsSharedByAllThatWait() async throws {
    let made = try await Session.signedIn()
    made.vault.set { $0.failures[.accessToken] = [AuthError(.busy, "another refresh")] }
    made.vault.hold()
    let session = made.session
    // Each task has joined when the next one begins.
    let tasks = (0..<50).map { _ in
      Task.immediate { await error { () throws(AuthError) in try await session.accessToken() } }
    }
    // All of them wait before the vault continues.
    try await until { session.tokens.waiting == 50 }
    made.vault.letGo()
    for task in tasks { #expect(await task.value?.kind == .busy) }
    #expect(made.vault.count(of: .accessToken) == 1)
  }

  @Test
  func whoIsCancelledLeavesTheOthersWaiting() async throws {
    let made = try await Session.signedIn()
    made.vault.hold()
    let session = made.session
    let leaving = Task { await error { () throws(AuthError) in try await session.accessToken() } }
    let staying = Task { try await session.accessToken().value }
    try await until { made.vault.count(of: .accessToken) == 1 }
    leaving.cancel()
    #expect(await leaving.value?.kind == .cancelled)
    made.vault.letGo()
    #expect(try await staying.value == "at-1")
  }

  @Test
  func theCallEndsAfterTheLastWaiter() async throws {
    let made = try await Session.signedIn()
    made.vault.hold()
    let session = made.session
    let tasks = (0..<3).map { _ in
      Task { await error { () throws(AuthError) in try await session.accessToken() } }
    }
    try await until { made.vault.count(of: .accessToken) == 1 }
    for task in tasks { task.cancel() }
    for task in tasks { #expect(await task.value?.kind == .cancelled) }
    made.vault.letGo()
    // The stub saw the cancellation of its task, and made no refresh.
    #expect(try await session.accessToken().value == "at-1")
    #expect(made.vault.refreshes == 1)
  }

  @Test
  func tokensForOtherScopesAreTheirOwn() async throws {
    let made = try await Session.signedIn()
    let usual = try await made.session.accessToken()
    let other = try await made.session.accessToken(scopes: ["files.read"])
    #expect(other.scopes == ["files.read"])
    #expect(other != usual)
    #expect(try await made.session.accessToken() == usual)
  }

  @Test
  func aTokenThatMayNarrowTheLoginIsTheAppsChoiceCallByCall() async throws {
    let made = try await Session.signedIn(protected: true)
    let session = made.session
    made.vault.set { $0.mayNarrowLogin = true }
    func refused() async -> Bool {
      let failure = await error { () throws(AuthError) in
        try await session.accessToken(scopes: ["read"])
      }
      return failure?.kind == .mayNarrowLogin && failure?.recovery == .showMessage
    }
    #expect(await refused())
    #expect(made.presenter.prompts.isEmpty && made.vault.refreshes == 0)
    let token = try await session.accessToken(scopes: ["read"], mayNarrowLogin: true)
    #expect(await refused())
    let failure = await error { () throws(AuthError) in
      try await session.accessToken(replacing: token, scopes: ["read"])
    }
    #expect(failure?.kind == .mayNarrowLogin)
    let next = try await session.accessToken(
      replacing: token,
      scopes: ["read"],
      mayNarrowLogin: true
    )
    #expect(next != token)
    // The usual token narrows nothing.
    _ = try await session.accessToken()
  }

  @Test
  func aCallThatAcceptsTheRiskDoesNotEndWithTheRefusalOfAnother() async throws {
    let made = try await Session.signedIn()
    let session = made.session
    made.vault.set { $0.mayNarrowLogin = true }
    made.vault.hold()
    let careful = Task.immediate {
      await error { () throws(AuthError) in try await session.accessToken(scopes: ["read"]) }
    }
    let bold = Task.immediate {
      try await session.accessToken(scopes: ["read"], mayNarrowLogin: true).value
    }
    try await until { session.tokens.waiting == 2 }
    made.vault.letGo()
    #expect(await careful.value?.kind == .mayNarrowLogin)
    #expect(try await bold.value == "at-1")
  }

  @Test
  func aRejectedTokenIsReplacedOnce() async throws {
    let made = try await Session.signedIn()
    let first = try await made.session.accessToken()
    let second = try await made.session.accessToken(replacing: first)
    #expect(second != first)
    #expect(try await made.session.accessToken(replacing: first) == second)
    #expect(made.session.cachedAccessToken == second)
    #expect(made.vault.refreshes == 2)
  }

  @Test
  func aTokenWithoutAnEndIsKeptInMemoryForFiveMinutes() async throws {
    let made = try await Session.signedIn()
    made.vault.set { $0.tokenLifetime = nil }
    let token = try await made.session.accessToken()
    #expect(made.session.accessTokenLifetime == nil)
    made.clock.advance(by: .seconds(289))
    #expect(try await made.session.accessToken() == token)
    #expect(made.vault.count(of: .accessToken) == 1)
    // After that the vault says whether the token is still valid.
    made.clock.advance(by: .seconds(2))
    #expect(try await made.session.accessToken() == token)
    #expect(made.vault.count(of: .accessToken) == 2)
  }

  @Test
  func whatTheVaultRefreshedAheadIsFetchedBeforeItIsAskedFor() async throws {
    let made = try await Session.signedIn()
    let first = try await made.session.accessToken()
    made.clock.advance(by: .seconds(3400))
    // The refresh is the vault's own: the session makes none.
    _ = try await made.vault.accessToken(
      of: "me",
      TokenRequest(minimumLifetime: .seconds(300)),
      PresenceAsking(policy: .password) { _ in false }
    )
    try await until { made.session.cachedAccessToken.map { $0 != first } ?? false }
    #expect(!made.session.isAccessTokenExpiringSoon())
    #expect(made.vault.refreshes == 2)
  }

  @Test
  func aReportWithoutATokenThatIsOlderThanARefreshDoesNotHideIt() async throws {
    let made = try await Session.signedIn()
    let first = try await made.session.accessToken()
    made.vault.hold([.snapshot])
    let questions = made.vault.count(of: .snapshot)
    made.vault.expireToken()
    made.vault.set { _ in }
    // The session asks the vault whether the token is really gone.
    try await until { made.vault.count(of: .snapshot) > questions }
    let second = AccessToken("at-2", expiresAt: 9_000_000_000, clock: made.clock)
    made.vault.content.withLock { $0.token = second }
    made.vault.letGo()
    try await until { made.session.cachedAccessToken != first }
    #expect(made.session.cachedAccessToken == second)
    #expect(made.vault.refreshes == 1)
  }

  @Test
  func aDeadLoginIsAStateOfItsOwn() async throws {
    let made = try await Session.signedIn()
    made.vault.set { $0.failures[.accessToken] = [AuthError(.loginRequired, "invalid_grant")] }
    let failure = await error { () throws(AuthError) in try await made.session.accessToken() }
    #expect(failure?.recovery == .signIn)
    #expect(made.session.state == .loginRequired(Session.user, reason: "invalid_grant"))
    #expect(!made.session.isAuthenticated)
    #expect(made.session.currentUser == Session.user)
  }

  @Test
  func aDeadLoginShowsAtOnceWhateverTheVaultHasTold() async throws {
    let made = try await Session.signedIn()
    made.vault.hold()
    let call = Task { await error { () throws(AuthError) in try await made.session.accessToken() } }
    try await until { made.vault.count(of: .accessToken) == 1 }
    made.vault.set { $0.account?.isProtected = true }
    try await until { made.session.hasProtectedCredentials }
    // The vault reports the end of the login later than the call does.
    made.vault.content.withLock { content in
      content.settings.account?.status = .loginRequired(reason: "invalid_grant")
    }
    made.vault.letGo()
    #expect(await call.value?.kind == .loginRequired)
    #expect(made.session.state == .loginRequired(Session.user, reason: "invalid_grant"))
  }

  @Test
  func whoIsOfflineIsNotSignedOutAndComesBackWithTheNetwork() async throws {
    let made = try await Session.signedIn()
    let offline = AuthError(.offline, "no network")
    made.vault.set { $0.failures[.accessToken] = [offline, offline] }
    #expect(await error { () throws(AuthError) in try await made.session.accessToken() } == offline)
    #expect(made.session.state == .offline(Session.user))
    #expect(made.session.isAuthenticated)
    made.network.change()
    try await until { made.vault.count(of: .accessToken) == 2 }
    #expect(made.session.state == .offline(Session.user))
    made.network.change()
    try await until { made.session.state == .authenticated(Session.user) }
    #expect(made.presenter.prompts.isEmpty)
  }

  @Test
  func noPromptIsShownWhenTheNetworkComesBack() async throws {
    let made = try await Session.signedIn(protected: true)
    made.vault.set { settings in
      settings.isUnlocked = true
      settings.failures[.accessToken] = [AuthError(.offline, "no network")]
    }
    _ = await error { () throws(AuthError) in try await made.session.accessToken() }
    made.vault.set { $0.isUnlocked = false }
    made.network.change()
    try await until { made.vault.count(of: .accessToken) == 2 }
    try await until { made.session.state == .locked(Session.user) }
    #expect(made.presenter.prompts.isEmpty)
  }
}
