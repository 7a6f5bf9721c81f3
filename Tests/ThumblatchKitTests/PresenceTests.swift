import Testing
import ThumblatchKit
import ThumblatchKitTesting

/// Presence checks of a session.
@Suite(.timeLimit(.minutes(10)))
struct PresenceTests {
  @Test
  func aFingerUnlocksAndTheReasonIsShown() async throws {
    let made = try await Session.signedIn(protected: true)
    #expect(made.session.state == .locked(Session.user))
    #expect(made.session.hasProtectedCredentials)
    let window = try await made.session.unlock(reason: "to show your mail")
    #expect(window.duration == .seconds(600))
    #expect(made.session.state == .authenticated(Session.user))
    let prompt = try #require(made.presenter.prompts.first)
    #expect(prompt.reason == "to show your mail")
    #expect(prompt.purpose == "unlock")
    #expect(prompt.phase == .ended(passed: true))
  }

  @Test
  func thePromptIsAStateWhileItLasts() async throws {
    let made = try await Session.signedIn(protected: true, presenter: nil)
    let session = AuthSession(account: "me", presenter: StatePresenter(), vault: made.vault)
    try await session.restore()
    let unlocking = Task { try await session.unlock() }
    try await until { if case .presencePrompt = session.state { true } else { false } }
    guard case .presencePrompt(let prompt) = session.state else {
      Issue.record("\(session.state)")
      return
    }
    #expect(prompt.allowsFingerprint && prompt.allowsPassword)
    #expect(session.isLoading)
    prompt.choosePassword()
    prompt.answer(try Password("system password"))
    _ = try await unlocking.value
    #expect(session.state == .authenticated(Session.user))
  }

  @Test
  func whoGivesUpKeepsTheSession() async throws {
    let made = try await Session.signedIn(
      protected: true,
      presenter: ScriptedPresenter(.cancels)
    )
    let failure = await error { () throws(AuthError) in try await made.session.unlock() }
    #expect(failure?.kind == .presence(.cancelled))
    #expect(failure?.recovery == .keepSession)
    #expect(made.session.state == .locked(Session.user))
    #expect(made.session.errorMessage == nil)
  }

  @Test
  func aLockedOutReaderOffersThePassword() async throws {
    let made = try await Session.signedIn(
      AuthConfiguration(presencePolicy: .fingerprint),
      protected: true
    )
    made.vault.set { $0.touches = [.noMatch, .lockedOut] }
    let failure = await error { () throws(AuthError) in try await made.session.unlock() }
    #expect(failure?.kind == .presence(.lockedOut))
    #expect(failure?.recovery == .offerPassword)
    #expect(made.session.hasProtectedCredentials)
  }

  @Test(arguments: [false, true])
  func whatAFingerCameToIsNoErrorOfThePassword(_ isLockedOut: Bool) async throws {
    let made = try await Session.signedIn(protected: true)
    made.vault.set { $0.touches = [isLockedOut ? .lockedOut : .noMatch] }
    let session = AuthSession(account: "me", presenter: StatePresenter(), vault: made.vault)
    try await session.restore()
    let unlocking = Task { try await session.unlock() }
    try await until { if case .presencePrompt = session.state { true } else { false } }
    guard case .presencePrompt(let prompt) = session.state else {
      Issue.record("\(session.state)")
      return
    }
    try await until { prompt.phase == .finger(nil) }
    made.vault.touch()
    try await until { prompt.failures == 1 }
    #expect(prompt.notice(about: .fingerprint) == prompt.notice)
    if !isLockedOut { prompt.choosePassword() }
    try await until { if case .question = prompt.phase { true } else { false } }
    #expect(prompt.notice(about: .password) == nil)
    // The prompt says why fingers no longer count. A cancelled finger is not mentioned.
    #expect((prompt.notice != nil) == isLockedOut)
    prompt.answer(try Password("another password"))
    try await until { prompt.phase == .ended(passed: false) }
    #expect(prompt.notice(about: .password) == prompt.notice)
    #expect(prompt.notice(about: .fingerprint) == nil)
    await #expect(throws: AuthError.self) { try await unlocking.value }
  }

  @Test
  func aMissingReaderLeadsToThePasswordAndNeverToNoProtection() async throws {
    let made = try await Session.signedIn(
      protected: true,
      presenter: ScriptedPresenter(.types("system password"))
    )
    made.vault.set { $0.capability = .passwordOnly(reason: "there is no fingerprint reader") }
    #expect(
      try await made.session.presenceCapability()
        == .passwordOnly(reason: "there is no fingerprint reader")
    )
    try await made.session.unlock()
    #expect(made.presenter.prompts.first?.allowsFingerprint == false)
    #expect(made.session.hasProtectedCredentials)
    let finger = await error { () throws(AuthError) in
      try await made.session.evaluate(.fingerprint, reason: "a finger and nothing else")
    }
    #expect(finger?.kind == .presence(.notAvailable))
    #expect(finger?.recovery == .offerPassword)
  }

  @Test(arguments: [
    (PresencePolicy.fingerprint, true, false), (.fingerprintOrPassword, true, true),
    (.password, false, true),
  ])
  func thePolicySaysWhichWaysCount(
    _ policy: PresencePolicy,
    _ fingerprint: Bool,
    _ password: Bool
  ) async throws {
    let made = try await Session.signedIn(
      presenter: ScriptedPresenter(policy == .password ? .types("system password") : .touches)
    )
    try await made.session.evaluate(policy, reason: "to test")
    let prompt = try #require(made.presenter.prompts.first)
    #expect(prompt.allowsFingerprint == fingerprint)
    #expect(prompt.allowsPassword == password)
  }

  @Test
  func protectionIsTurnedOnAndOffByAPresenceCheck() async throws {
    let made = try await Session.signedIn()
    #expect(!made.session.hasProtectedCredentials)
    try await made.session.enablePresenceProtection(reason: "to protect your login")
    #expect(made.session.hasProtectedCredentials)
    // The check that turned protection on also opened the window.
    #expect(made.session.state == .authenticated(Session.user))
    try await made.session.lock()
    #expect(made.session.state == .locked(Session.user))
    try await made.session.disablePresenceProtection()
    #expect(made.session.state == .authenticated(Session.user))
    #expect(made.presenter.prompts.count == 2)
  }

  @Test
  func whoCannotBeAskedIsToldSo() async throws {
    let made = try await Session.signedIn(protected: true, presenter: nil)
    let failure = await error { () throws(AuthError) in try await made.session.accessToken() }
    #expect(failure?.kind == .presence(.cannotPrompt))
    #expect(made.session.state == .locked(Session.user))
  }

  @Test
  func tooManyFailuresSignOutWhereTheAppChoseSo() async throws {
    let made = try await Session.signedIn(
      AuthConfiguration(failedChecksBeforeSignOut: 3),
      protected: true,
      presenter: ScriptedPresenter(.types("wrong"))
    )
    for _ in 0..<2 {
      _ = await error { () throws(AuthError) in try await made.session.unlock() }
      #expect(made.session.isAuthenticated)
    }
    _ = await error { () throws(AuthError) in try await made.session.unlock() }
    #expect(!made.session.isAuthenticated)
    #expect(made.vault.count(of: .signOut) == 1)
  }

  @Test
  func aCheckThatPassesForgetsTheFailuresBeforeIt() async throws {
    let made = try await Session.signedIn(
      AuthConfiguration(failedChecksBeforeSignOut: 2),
      protected: true,
      presenter: ScriptedPresenter(.types("wrong"), .touches, .types("wrong"), .touches)
    )
    for _ in 0..<2 {
      _ = await error { () throws(AuthError) in try await made.session.unlock() }
      try await made.session.unlock()
    }
    #expect(made.session.isAuthenticated)
    #expect(made.vault.count(of: .signOut) == 0)
  }

  @Test
  func anErrorOfAnotherKindAfterASignOutDoesNotSignOutAgain() async throws {
    let made = try await Session.signedIn(
      AuthConfiguration(failedChecksBeforeSignOut: 1),
      protected: true,
      // The second check allows another person to sign in there.
      presenter: ScriptedPresenter(.types("wrong"), .touches)
    )
    made.vault.set { $0.users = ["ada@example.com": "pw"] }
    _ = await error { () throws(AuthError) in try await made.session.unlock() }
    #expect(!made.session.isAuthenticated)
    try await made.session.login(email: "ada@example.com", password: try Password("pw"))
    made.vault.set { $0.failures[.accessToken] = [AuthError(.offline, "no network")] }
    _ = await error { () throws(AuthError) in try await made.session.accessToken() }
    #expect(made.session.isAuthenticated)
    #expect(made.vault.count(of: .signOut) == 1)
  }

  @Test
  func failuresBeforeAMatchInOnePromptDoNotCount() async throws {
    let made = try await Session.signedIn(
      AuthConfiguration(failedChecksBeforeSignOut: 2),
      protected: true
    )
    made.vault.set { settings in
      settings.touches = [.noMatch, .noMatch, .match]
      settings.failures[.accessToken] = [AuthError(.offline, "no network")]
    }
    try await made.session.unlock()
    _ = await error { () throws(AuthError) in try await made.session.accessToken() }
    #expect(made.session.isAuthenticated)
    #expect(made.vault.count(of: .signOut) == 0)
  }

  @Test
  func aSignOutThatFailsIsNotClaimed() async throws {
    let made = try await Session.signedIn(
      AuthConfiguration(failedChecksBeforeSignOut: 1),
      protected: true,
      presenter: ScriptedPresenter(.types("wrong"))
    )
    let failure = AuthError(.vaultUnavailable, "the vault does not answer")
    made.vault.set { $0.failures[.signOut] = [failure] }
    _ = await error { () throws(AuthError) in try await made.session.unlock() }
    #expect(made.session.isAuthenticated)
  }

  @Test
  func tooManyFailuresSignOutAlsoIfTheSessionDoesNotKnowOfTheLock() async throws {
    let made = try Session(
      AuthConfiguration(failedChecksBeforeSignOut: 1),
      presenter: ScriptedPresenter(.types("wrong"))
    )
    made.vault.signIn(Session.user, protected: true)
    _ = await error { () throws(AuthError) in try await made.session.unlock() }
    #expect(try await made.session.restore() == .unauthenticated)
    #expect(made.presenter.prompts.count == 1)
  }

  @Test
  func whoChoosesThePasswordWhereOnlyAFingerCountsCanBeAskedAgain() async throws {
    let made = try await Session.signedIn(
      AuthConfiguration(presencePolicy: .fingerprint),
      protected: true,
      presenter: ScriptedPresenter(.types("system password"))
    )
    let failure = await error { () throws(AuthError) in try await made.session.unlock() }
    #expect(failure?.kind == .presence(.passwordChosen))
    #expect(failure?.recovery == .usePassword)
    try await made.session.unlock(policy: .password)
    #expect(made.session.state == .authenticated(Session.user))
    #expect(made.presenter.prompts.map(\.allowsPassword) == [false, true])
  }

  @Test
  func aLockedOutReaderLeadsToThePasswordInTheSamePrompt() async throws {
    let made = try await Session.signedIn(
      protected: true,
      presenter: ScriptedPresenter(.touchesThenTypes(2, "system password"))
    )
    made.vault.set { $0.touches = [.noMatch, .lockedOut] }
    try await made.session.unlock()
    #expect(made.presenter.prompts.count == 1)
  }

  @Test
  func everyErrorHasADecision() {
    for failure in AuthError.PresenceFailure.allCases {
      let error = AuthError(.presence(failure), "x")
      switch failure {
      case .cancelled: #expect(error.recovery == .keepSession)
      case .passwordChosen: #expect(error.recovery == .usePassword)
      case .notAvailable, .notEnrolled, .lockedOut, .noMatch:
        #expect(error.recovery == .offerPassword)
      case .timedOut, .busy: #expect(error.recovery == .retry(after: nil))
      case .denied, .cannotPrompt: #expect(error.recovery == .showMessage)
      }
    }
    let later = AuthError(.providerUnavailable(retryAfter: .seconds(30), status: 503), "x")
    #expect(later.recovery == .retry(after: .seconds(30)))
  }
}
