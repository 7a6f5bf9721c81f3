import Testing
import ThumblatchKit
import ThumblatchKitTesting

/// The state that an app shows first.
@Suite(.timeLimit(.minutes(10)))
struct LaunchTests {
  @Test(arguments: [
    (AccountSnapshot.Status?.none, false, false, AuthState.unauthenticated),
    (.signedOut, false, false, .unauthenticated),
    (.signedOut, true, true, .unauthenticated),
    (.signedIn, false, false, .authenticated(Session.user)),
    (.signedIn, true, false, .locked(Session.user)),
    (.signedIn, true, true, .authenticated(Session.user)),
    (
      .loginRequired(reason: "revoked"), true, false,
      .loginRequired(Session.user, reason: "revoked")
    ),
  ])
  func oneCallDecidesWithoutNetworkAndWithoutAPrompt(
    _ status: AccountSnapshot.Status?,
    _ isProtected: Bool,
    _ isUnlocked: Bool,
    _ expected: AuthState
  ) async throws {
    let made = try Session()
    made.vault.set { settings in
      settings.account = status.map {
        AccountSnapshot(name: "me", user: Session.user, status: $0, isProtected: isProtected)
      }
      settings.isUnlocked = isUnlocked
    }
    #expect(try await made.session.restore() == expected)
    #expect(made.session.state == expected)
    for call in StubVault.Call.allCases {
      #expect(made.vault.count(of: call) == (call == .snapshot ? 1 : 0))
    }
    #expect(made.presenter.prompts.isEmpty)
  }

  @Test
  func beforeItIsAskedNothingIsKnownAndNothingIsOpened() throws {
    let made = try Session()
    made.vault.signIn(Session.user)
    #expect(made.session.state == .unauthenticated)
    #expect(!made.session.isAuthenticated)
    #expect(made.session.cachedAccessToken == nil)
    #expect(StubVault.Call.allCases.allSatisfy { made.vault.count(of: $0) == 0 })
  }

  @Test
  func aVaultThatDoesNotAnswerIsAnErrorThatGoesAwayWithTheNextTry() async throws {
    let made = try Session()
    made.vault.signIn(Session.user)
    let failure = AuthError(.notInstalled, "the programs are missing")
    made.vault.set { $0.failures[.snapshot] = [failure] }
    #expect(await error { () throws(AuthError) in try await made.session.restore() } == failure)
    #expect(made.session.state == .error(failure))
    #expect(made.session.errorMessage == "the programs are missing")
    #expect(failure.recovery == .showMessage)
    #expect(try await made.session.restore() == .authenticated(Session.user))
    #expect(made.session.errorMessage == nil)
  }

  /// A vault that needs a touch of its key reports nothing before a call has asked for the touch.
  @Test
  func aVaultThatACallHasOpenedIsNoErrorAnyMore() async throws {
    let made = try Session()
    made.vault.signIn(Session.user)
    let closed = AuthError(.vaultUnavailable, "the vault needs a touch of its key")
    made.vault.set { $0.failures[.snapshot] = [closed, closed] }
    #expect(await error { () throws(AuthError) in try await made.session.restore() } == closed)
    #expect(made.session.state == .error(closed))
    _ = try await made.session.accessToken()
    #expect(made.session.state == .authenticated(Session.user))
  }

  @Test
  func aSignInByAnotherProgramIsSeenWithItsToken() async throws {
    let made = try Session()
    #expect(try await made.session.restore() == .unauthenticated)
    made.vault.signIn(Session.user)
    let token = try await made.session.accessToken()
    #expect(made.session.state == .authenticated(Session.user))
    try await until { made.vault.listenerCount == 1 }
    #expect(try await made.session.accessToken() == token)
    #expect(made.session.cachedAccessToken == token)
  }

  @Test
  func anErrorCanBeDismissed() async throws {
    let made = try await Session.signedIn()
    made.vault.set { $0.failures[.fetchUser] = [AuthError(.misconfigured, "no userinfo")] }
    _ = await error { () throws(AuthError) in try await made.session.fetchCurrentUser() }
    #expect(made.session.state == .error(AuthError(.misconfigured, "no userinfo")))
    #expect(made.session.isAuthenticated)
    made.session.dismissError()
    #expect(made.session.state == .authenticated(Session.user))
  }

  @Test
  func whatOtherProgramsDoToTheAccountIsSeen() async throws {
    let made = try await Session.signedIn(protected: true)
    try await until { made.vault.listenerCount == 1 }
    made.vault.set { $0.isUnlocked = true }
    try await until { made.session.state == .authenticated(Session.user) }
    made.vault.set { $0.isUnlocked = false }
    try await until { made.session.state == .locked(Session.user) }
    made.vault.set { $0.account?.status = .signedOut }
    try await until { made.session.state == .unauthenticated }
  }

  @Test
  func aSessionThatIsLetGoFollowsNothing() async throws {
    let vault = StubVault()
    vault.signIn(Session.user)
    do {
      let session = AuthSession(account: "me", vault: vault)
      try await session.restore()
      try await until { vault.listenerCount == 1 }
    }
    try await until { vault.listenerCount == 0 }
  }
}
