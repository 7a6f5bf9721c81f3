import Testing
import ThumblatchKit
import ThumblatchKitTesting

/// Signing in and out.
@Suite(.timeLimit(.minutes(10)))
struct SignInTests {
  private func states(_ session: AuthSession, _ count: Int) -> Task<[AuthState], Never> {
    let states = session.states
    return Task {
      var seen: [AuthState] = []
      for await state in states {
        seen.append(state)
        if seen.count == count { break }
      }
      return seen
    }
  }

  @Test
  func registrationLeadsThroughAuthenticatingToTheUser() async throws {
    let made = try Session()
    let seen = states(made.session, 3)
    let user = try await made.session.register(
      email: "ada@example.com",
      name: "Ada",
      password: try Password("correct horse")
    )
    #expect(user.name == "Ada")
    #expect(user.issuer == "http://localhost:8000")
    #expect(await seen.value == [.unauthenticated, .authenticating, .authenticated(user)])
    #expect(made.session.currentUser == user)
    #expect(!made.session.isLoading)
  }

  @Test
  func aWrongPasswordIsAMessageAndTheNextTryTakesItAway() async throws {
    let made = try Session()
    made.vault.set { $0.users["ada@example.com"] = "right" }
    let wrong = try Password("wrong")
    let failure = await error { () throws(AuthError) in
      try await made.session.login(email: "ada@example.com", password: wrong)
    }
    #expect(failure?.kind == .wrongCredentials(status: 401))
    #expect(failure?.httpStatus == 401)
    #expect(failure?.recovery == .correctInput)
    #expect(made.session.state == failure.map { .error($0) })
    let seen = states(made.session, 3)
    let user = try await made.session.login(
      email: "ada@example.com",
      password: try Password("right")
    )
    #expect(await seen.value.dropFirst() == [.authenticating, .authenticated(user)])
  }

  @Test
  func anAddressThatIsTakenIsToldAtItsField() async throws {
    let made = try Session()
    made.vault.set { $0.users["ada@example.com"] = "right" }
    let password = try Password("another")
    let failure = await error { () throws(AuthError) in
      try await made.session.register(email: "ada@example.com", password: password)
    }
    #expect(failure?.kind == .addressTaken(status: 409))
    #expect(failure?.message(about: .email) == "has an account already")
    #expect(failure?.message(about: .password) == nil)
    #expect(failure?.recovery == .correctInput)
    // The backend's message may name the person, so a log of the fields leaves it out.
    #expect(failure.map { "\($0.fields)" } == "[FieldProblem(email)]")
  }

  @Test(arguments: [
    (AuthError.Kind.invalidInput(status: 422), 422 as Int?), (.http(status: 404), 404),
    (.providerUnavailable(retryAfter: nil, status: 503), 503), (.offline, nil),
    (.providerUnavailable(retryAfter: .seconds(1), status: nil), nil),
  ])
  func theStatusIsKept(_ kind: AuthError.Kind, _ status: Int?) {
    #expect(AuthError(kind, "x").httpStatus == status)
  }

  @Test
  func aSecondLoginAtTheSameTimeIsRefusedAndTheFirstGoesOn() async throws {
    let made = try Session()
    made.vault.set { $0.users["ada@example.com"] = "right" }
    made.vault.hold()
    let password = try Password("right")
    let session = made.session
    let first = Task { try await session.login(email: "ada@example.com", password: password) }
    try await until { made.vault.count(of: .login) == 1 }
    #expect(session.state == .authenticating)
    #expect(session.isLoading)
    let failure = await error { () throws(AuthError) in
      try await session.login(email: "ada@example.com", password: password)
    }
    #expect(failure?.kind == .busy)
    made.vault.letGo()
    _ = try await first.value
    #expect(session.isAuthenticated)
  }

  @Test
  func aLoginThatIsCancelledLeavesTheSessionAsItWas() async throws {
    let made = try Session()
    made.vault.hold()
    let password = try Password("right")
    let session = made.session
    let login = Task { try await session.login(email: "ada@example.com", password: password) }
    try await until { made.vault.count(of: .login) == 1 }
    login.cancel()
    made.vault.letGo()
    await #expect(throws: AuthError.self) { try await login.value }
    #expect(session.state == .unauthenticated)
  }

  @Test
  func aLockDuringALoginDoesNotHideTheUser() async throws {
    let made = try Session()
    made.vault.set { $0.users["ada@example.com"] = "right" }
    made.vault.hold([.snapshot])
    let session = made.session
    let seen = states(session, 3)
    let password = try Password("right")
    let login = Task { try await session.login(email: "ada@example.com", password: password) }
    try await until { made.vault.count(of: .snapshot) == 1 }
    try await session.lock()
    made.vault.letGo()
    let user = try await login.value
    #expect(await seen.value == [.unauthenticated, .authenticating, .authenticated(user)])
  }

  @Test
  func aLoginInTheBrowserEndsOnceWithWhatCameBack() async throws {
    let made = try Session()
    let login = try await made.session.beginLogin(.browser(redirect: "http://127.0.0.1:7777/back"))
    #expect(
      login.prompt.url == "http://localhost:8000/authorize?redirect_uri=http://127.0.0.1:7777/back"
    )
    #expect(made.session.state == .authenticating)
    let user = try await login.finish(query: "code=c&state=s")
    #expect(made.session.state == .authenticated(user))
    let again = await error { () throws(AuthError) in try await login.finish(query: "code=c") }
    #expect(again?.kind == .invalidArgument)
    #expect(made.session.state == .authenticated(user))
  }

  @Test
  func aCodeForAnotherDeviceIsShownAndWaitedFor() async throws {
    let made = try Session()
    let login = try await made.session.beginLogin(.device)
    #expect(login.prompt.userCode == "WDJB-MJHT")
    #expect(try await login.wait().id == "id-device")
  }

  @Test
  func aLoginWithoutACallerIsGivenUp() async throws {
    let made = try Session()
    do {
      let login = try await made.session.beginLogin(.device)
      #expect(made.session.state == .authenticating)
      _ = login.prompt
    }
    #expect(made.session.state == .unauthenticated)
    let other = try await made.session.beginLogin(.device)
    await other.cancel()
    #expect(made.session.state == .unauthenticated)
  }

  @Test
  func signingOutErasesHereWhateverTheProviderSays() async throws {
    let made = try await Session.signedIn()
    _ = try await made.session.accessToken()
    made.vault.set { $0.signOut = SignOutOutcome(.valid, reason: "no endpoint") }
    let outcome = try await made.session.logout()
    #expect(outcome == SignOutOutcome(.valid, reason: "no endpoint"))
    #expect(made.session.state == .unauthenticated)
    #expect(made.session.cachedAccessToken == nil)
    #expect(made.session.currentUser == nil)
    try await until { made.vault.listenerCount == 0 }
  }

  /// Ending the login uses the refresh token, which is protected.
  @Test
  func signingOutOfALockedAccountAsksFirst() async throws {
    let made = try await Session.signedIn(protected: true, presenter: ScriptedPresenter(.touches))
    let outcome = try await made.session.logout(reason: "to end it")
    #expect(outcome.isRevoked && !outcome.mayBeAlive)
    #expect(made.session.state == .unauthenticated)
  }

  @Test
  func aSignOutThatIsGivenUpLeavesTheLogin() async throws {
    let made = try await Session.signedIn(protected: true, presenter: ScriptedPresenter(.cancels))
    let failure = await error { () throws(AuthError) in _ = try await made.session.logout() }
    #expect(failure?.kind == .presence(.cancelled))
    #expect(made.session.isAuthenticated)
    let local = try await made.session.logout(locally: true)
    #expect(local.grant == .valid && local.mayBeAlive)
    #expect(!made.session.isAuthenticated)
  }

  @Test
  func withoutAPresenterALockedAccountIsSignedOutOnlyLocally() async throws {
    let made = try await Session.signedIn(protected: true, presenter: nil)
    let failure = await error { () throws(AuthError) in _ = try await made.session.logout() }
    #expect(failure?.kind == .presence(.cannotPrompt))
    #expect(made.session.isAuthenticated)
    #expect(try await made.session.logout(locally: true).mayBeAlive)
  }

  @Test
  func theProviderSaysWhoItIs() async throws {
    let made = try await Session.signedIn()
    made.vault.set { $0.account?.user = User(id: "u1", name: "Ada L.", issuer: "https://id.test") }
    #expect(try await made.session.fetchCurrentUser().name == "Ada L.")
    #expect(made.session.currentUser?.name == "Ada L.")
  }

  @Test
  func plainHTTPIsOnlyForDevelopmentOnThisMachine() async throws {
    #expect(throws: AuthError.self) { try AuthProvider.passwordBackend("http://localhost:8000") }
    #expect(throws: AuthError.self) {
      try AuthProvider.passwordBackend("http://api.example.com", environment: .development)
    }
    _ = try AuthProvider.passwordBackend("http://127.0.0.1:8000", environment: .development)
    _ = try AuthProvider.openID("https://login.example.com", clientID: "app")
  }

  @Test
  func aLoginEndsWithoutAnEndWhereTheVaultFails() async throws {
    let made = try Session()
    made.vault.set { $0.failures[.beginLogin] = [AuthError(.misconfigured, "no client id")] }
    let failure = await error { () throws(AuthError) in
      try await made.session.beginLogin(.device)
    }
    #expect(failure?.kind == .misconfigured)
    #expect(made.session.state == failure.map { .error($0) })
  }

  /// A person who has just signed in needs no advice to sign in.
  @Test
  func aLoginWithoutAProviderNeedsAnAccount() async throws {
    let made = try Session()
    let missing = AuthError(.signedOut, "no user is signed in", recoverySuggestion: "sign in")
    made.vault.set { $0.failures = [.login: [missing], .beginLogin: [missing]] }
    let password = try Password("right")
    let typed = await error { () throws(AuthError) in
      try await made.session.login(email: "ada@example.com", password: password)
    }
    let browsed = await error { () throws(AuthError) in
      try await made.session.loginInBrowser(open: { _ in true })
    }
    for failure in [typed, browsed] {
      #expect(failure?.kind == .invalidArgument)
      #expect(failure?.recoverySuggestion == "give the session a provider")
    }
  }

  @Test
  func aLoginThatIsWaitedForCanBeGivenUp() async throws {
    let made = try Session()
    let login = try await made.session.beginLogin(.device)
    made.vault.hold()
    let waiting = Task { await error { () throws(AuthError) in try await login.wait() } }
    try await until { made.vault.count(of: .login) == 1 }
    await login.cancel()
    made.vault.letGo()
    #expect(await waiting.value?.kind == .cancelled)
    #expect(made.session.state == .unauthenticated)
    _ = try await made.session.beginLogin(.device)
  }
}
