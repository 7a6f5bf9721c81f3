import Testing
import ThumblatchKit
import ThumblatchKitTesting

/// A locked session, and the reports of its vault while it is locked.
@Suite(.timeLimit(.minutes(10)))
struct LockTests {
  @Test
  func lockingForgetsTheTokenInMemory() async throws {
    let made = try await Session.signedIn(protected: true)
    try await made.session.unlock()
    _ = try await made.session.accessToken()
    try await made.session.lock()
    #expect(made.session.state == .locked(Session.user))
    #expect(made.session.cachedAccessToken == nil)
  }

  @Test
  func whatTheVaultToldBeforeALockDoesNotOpenIt() async throws {
    let made = try await Session.signedIn(protected: true)
    try await made.session.unlock()
    made.vault.hold()
    let lock = Task { try await made.session.lock() }
    try await until { made.vault.count(of: .lock) == 1 && made.vault.listenerCount == 0 }
    // This report is ignored, because the lock is under way.
    made.vault.set { $0.isUnlocked = true }
    #expect(made.session.state == .locked(Session.user))
    made.vault.letGo()
    try await lock.value
    #expect(made.session.state == .locked(Session.user))
    // Later reports count.
    try await until { made.vault.listenerCount == 1 }
    made.vault.set { $0.isUnlocked = true }
    try await until { made.session.state == .authenticated(Session.user) }
  }

  @Test
  func aCallThatChangesTheAccountIsFollowedFromItsEndOn() async throws {
    let made = try await Session.signedIn(protected: true)
    try await until { made.vault.listenerCount == 1 }
    made.vault.hold()
    let unlock = Task { _ = try await made.session.unlock() }
    try await until { made.vault.count(of: .unlock) == 1 }
    made.vault.letGo()
    try await unlock.value
    #expect(made.session.state == .authenticated(Session.user))
    try await until { made.vault.listenerCount == 1 }
    made.vault.set { $0.isUnlocked = false }
    try await until { made.session.state == .locked(Session.user) }
  }

  @Test
  func aLockThatComesFromElsewhereForgetsItToo() async throws {
    let made = try await Session.signedIn(protected: true)
    try await made.session.unlock()
    _ = try await made.session.accessToken()
    made.vault.set { $0.isUnlocked = false }
    try await until { made.session.state == .locked(Session.user) }
    #expect(made.session.cachedAccessToken == nil)
  }

  @Test
  func aLockedSessionRefusesWhereTheAppChoseSo() async throws {
    let made = try await Session.signedIn(
      AuthConfiguration(refusesWhileLocked: true),
      protected: true
    )
    let failure = await error { () throws(AuthError) in try await made.session.accessToken() }
    #expect(failure?.kind == .locked)
    #expect(failure?.recovery == .unlock)
    #expect(made.presenter.prompts.isEmpty)
    #expect(made.session.state == .locked(Session.user))
    try await made.session.unlock()
    _ = try await made.session.accessToken()
  }

  @Test
  func aSessionWhoseVaultDoesNotAnswerIsLockedAllTheSame() async throws {
    let made = try await Session.signedIn(protected: true)
    try await made.session.unlock()
    _ = try await made.session.accessToken()
    let failure = AuthError(.vaultUnavailable, "the vault does not answer")
    // The session hears of the open window a moment later, possibly after the lock.
    made.vault.set { $0.failures[.lock] = [failure] }
    _ = await error { () throws(AuthError) in try await made.session.lock() }
    #expect(made.session.cachedAccessToken == nil)
    made.session.dismissError()
    #expect(made.session.state == .locked(Session.user))
  }
}
