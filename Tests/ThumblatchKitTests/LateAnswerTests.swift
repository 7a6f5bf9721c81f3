import Testing

@testable import ThumblatchKit
@testable import ThumblatchKitTesting

/// Answers and failures that arrive after something newer.
@Suite(.timeLimit(.minutes(10)))
struct LateAnswerTests {
  private static let bob = User(id: "u2", email: "bob@example.com", issuer: "https://id.test")

  @Test
  func aFailureOfAnEarlierAttemptDoesNotHideThatTheProviderWasReached() async throws {
    let made = try await Session.signedIn()
    let session = made.session
    _ = try await session.accessToken()
    made.vault.set { $0.failures[.fetchUser] = [AuthError(.offline, "no network")] }
    made.vault.hold([.fetchUser])
    let late = Task { await error { () throws(AuthError) in try await session.fetchCurrentUser() } }
    try await until { made.vault.count(of: .fetchUser) == 1 }
    let response = try await session.request(AuthRequest("https://api.test/mail"))
    #expect(response.status == 200)
    made.vault.letGo()
    #expect(await late.value?.kind == .offline)
    #expect(!session.isOffline)
    #expect(session.state == .authenticated(Session.user))
    // A later failure counts.
    made.vault.set { $0.failures[.fetchUser] = [AuthError(.offline, "no network")] }
    _ = await error { () throws(AuthError) in try await session.fetchCurrentUser() }
    #expect(session.state == .offline(Session.user))
  }

  @Test
  func aSignInAfterTheSignOutIsNotHiddenByTheAnswerToTheSignOut() async throws {
    let made = try await Session.signedIn()
    let session = made.session
    // The answer to the sign-out is on its way when another program signs in.
    made.vault.set { $0.failures[.signOut] = [AuthError(.signedOut, "no user is signed in")] }
    made.vault.hold([.signOut])
    let late = Task { try await session.logout().grant }
    try await until { made.vault.count(of: .signOut) == 1 }
    made.vault.signIn(Self.bob)
    try await until { session.currentUser == Self.bob }
    made.vault.letGo()
    #expect(try await late.value == .none)
    #expect(session.state == .authenticated(Self.bob))
    // The session still follows the account.
    made.vault.signIn(Session.user)
    try await until { session.currentUser == Session.user }
  }

  @Test
  func aSignOutThatTheWatchReportsFirstIsASignOut() async throws {
    let made = try await Session.signedIn()
    let session = made.session
    made.vault.set { $0.failures[.signOut] = [AuthError(.signedOut, "no user is signed in")] }
    made.vault.hold([.signOut])
    let late = Task { try await session.logout().grant }
    try await until { made.vault.count(of: .signOut) == 1 }
    made.vault.set { $0.account?.status = .signedOut }
    try await until { session.state == .unauthenticated }
    made.vault.letGo()
    #expect(try await late.value == .none)
    #expect(session.state == .unauthenticated)
    try await until { made.vault.listenerCount == 0 }
  }

  @Test
  func aTokenOfThePreviousUserIsNotThatOfTheNextOne() async throws {
    let made = try await Session.signedIn()
    let session = made.session
    made.vault.hold([.accessToken])
    let late = Task { try await session.accessToken().value }
    try await until { made.vault.count(of: .accessToken) == 1 }
    made.vault.signIn(Self.bob)
    try await until { session.currentUser == Self.bob }
    made.vault.letGo()
    // The first answer may be the previous user's, so the vault is asked again.
    #expect(try await late.value == session.cachedAccessToken?.value)
    #expect(made.vault.count(of: .accessToken) == 2)
  }

  @Test
  func anOlderTokenThatArrivesLateDoesNotReplaceANewerOne() async throws {
    let made = try await Session.signedIn()
    let session = made.session
    let first = AccessToken("at-1", expiresAt: 9_000_000_000, clock: made.clock)
    let second = AccessToken("at-2", expiresAt: 9_000_000_001, clock: made.clock)
    // Two calls begin without a token in memory, and the older token comes last.
    session.keep(second, of: session.epoch, insteadOf: nil)
    session.keep(first, of: session.epoch, insteadOf: nil)
    #expect(session.cachedAccessToken == second)
    // The only call replaces the token, whatever its end is.
    session.keep(first, of: session.epoch, insteadOf: second)
    #expect(session.cachedAccessToken == first)
  }

  @Test
  func ofTwoTokensWithoutAnEndNeitherIsKeptIfTheyCrossed() async throws {
    let made = try await Session.signedIn()
    let session = made.session
    session.keep(AccessToken("at-2", clock: made.clock), of: session.epoch, insteadOf: nil)
    session.keep(AccessToken("at-1", clock: made.clock), of: session.epoch, insteadOf: nil)
    #expect(session.cachedAccessToken == nil)
    // The next call asks the vault, which knows.
    #expect(try await session.accessToken().value == session.cachedAccessToken?.value)
  }

  @Test
  func aTokenThatWasDroppedDuringTheCallIsNotKeptAgain() async throws {
    let made = try await Session.signedIn()
    let session = made.session
    let token = try await session.accessToken()
    session.drop(token)
    session.keep(token, of: session.epoch, insteadOf: token)
    #expect(session.cachedAccessToken == nil)
  }
}
