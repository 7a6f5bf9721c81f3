import Testing
import ThumblatchKit
import ThumblatchKitTesting

/// Behavior that the stub shares with the real vault.
@Suite(.timeLimit(.minutes(10)))
struct StubVaultTests {
  @Test
  func aHeldCallEndsWithItsTask() async throws {
    let made = try Session()
    made.vault.hold()
    let session = made.session
    let password = try Password("right")
    let login = Task {
      await error { () throws(AuthError) in
        try await session.login(email: "ada@example.com", password: password)
      }
    }
    try await until { made.vault.count(of: .login) == 1 }
    login.cancel()
    #expect(await login.value?.kind == .cancelled)
    #expect(session.state == .unauthenticated)
  }

  @Test
  func afterALockoutNoFingerCountsUntilThePasswordIsGiven() async throws {
    let made = try await Session.signedIn(
      AuthConfiguration(presencePolicy: .fingerprint),
      protected: true
    )
    made.vault.set { $0.touches = [.lockedOut] }
    func unlockFails() async -> AuthError.Kind? {
      await error { () throws(AuthError) in try await made.session.unlock() }?.kind
    }
    #expect(await unlockFails() == .presence(.lockedOut))
    // The next check fails without a prompt.
    #expect(await unlockFails() == .presence(.lockedOut))
    #expect(made.presenter.prompts.count == 1)
    let capability = try await made.session.presenceCapability()
    #expect(capability == .passwordOnly(reason: "too many fingers failed"))

    let typing = AuthSession(
      account: "me",
      presenter: ScriptedPresenter(.types("system password")),
      vault: made.vault
    )
    try await typing.unlock(policy: .password)
    try await made.session.lock()
    try await made.session.unlock()
    #expect(made.presenter.prompts.count == 2)
  }

  @Test
  func withoutAWayNoCheckPasses() async throws {
    let made = try await Session.signedIn(protected: true)
    made.vault.set { $0.capability = .none(reason: "the presence program is missing") }
    let failure = await error { () throws(AuthError) in try await made.session.unlock() }
    #expect(failure?.kind == .notInstalled)
    #expect(made.presenter.prompts.isEmpty)
  }

  @Test
  func whatChangesNothingNeedsNoCheck() async throws {
    let made = try await Session.signedIn(protected: true)
    try await made.session.enablePresenceProtection()
    #expect(made.presenter.prompts.isEmpty)
    #expect(made.session.state == .locked(Session.user))
  }

  @Test
  func theProviderIsAskedForTheUserWithAToken() async throws {
    let made = try await Session.signedIn(protected: true)
    try await made.session.fetchCurrentUser()
    #expect(made.presenter.prompts.map(\.purpose) == ["refresh"])
    made.vault.requireLogin(reason: "revoked")
    let failure = await error { () throws(AuthError) in
      try await made.session.fetchCurrentUser()
    }
    #expect(failure?.kind == .loginRequired)
  }

  @Test
  func aSignInThatHasEndedIsNotEndedAgain() async throws {
    let made = try await Session.signedIn()
    made.vault.requireLogin(reason: "revoked")
    #expect(try await made.session.logout().grant == SignOutOutcome.Grant.none)
    #expect(try await made.session.logout().grant == SignOutOutcome.Grant.none)
  }

  @Test
  func thePersonAtAnotherProviderIsAnotherPerson() async throws {
    let made = try await Session.signedIn(protected: true)
    made.vault.set { settings in
      settings.users = ["ada@example.com": "pw"]
      settings.account?.user = User(id: "id-ada@example.com", issuer: "https://other.test")
    }
    let password = try Password("pw")
    let user = try await made.session.login(email: "ada@example.com", password: password)
    #expect(user.issuer == "http://localhost:8000")
    #expect(made.presenter.prompts.map(\.purpose) == ["replace the login of"])
    #expect(!made.session.hasProtectedCredentials)
  }
}
