import Synchronization
import Testing
import ThumblatchKit

@testable import ThumblatchKitTesting

/// Prompts that wait for another prompt.
extension PresenceTests {
  /// Input that was made while another prompt was open may have been meant for that prompt.
  @Test
  func aPromptBehindAnotherWaitsForItsEndAndForAWord() async throws {
    let made = try await Session.signedIn(protected: true, presenter: nil)
    made.vault.set { $0.otherPromptIsOpen = true }
    let session = AuthSession(account: "me", presenter: StatePresenter(), vault: made.vault)
    try await session.restore()
    let unlocking = Task { try await session.unlock() }
    try await until {
      if case .presencePrompt(let it) = session.state { it.phase == .queued } else { false }
    }
    guard case .presencePrompt(let prompt) = session.state else {
      Issue.record("\(session.state)")
      return
    }
    let phases = prompt.phases
    for _ in 0..<20 { prompt.touch() }
    prompt.begin()
    made.vault.set { $0.otherPromptIsOpen = false }
    #expect(prompt.phase == .ready)
    prompt.begin()
    prompt.choosePassword()
    prompt.answer(try Password("system password"))
    _ = try await unlocking.value
    #expect(session.state == .authenticated(Session.user))
    var seen: [PresencePrompt.Phase] = []
    for await phase in phases { seen.append(phase) }
    #expect(
      seen == [
        .queued, .ready, .finger(nil), .question("Password:", isHidden: true),
        .ended(passed: true),
      ]
    )
  }

  /// A call may go on after its check, and another call needs a check then, or has one open.
  @Test(arguments: [false, true])
  func aPromptThatHasEndedHidesNoOther(_ isOpenBefore: Bool) async throws {
    let made = try await Session.signedIn(protected: true, presenter: nil)
    let patience = AuthError(.providerUnavailable(retryAfter: .seconds(20), status: 503), "down")
    made.vault.set { $0.refreshFailures = [patience] }
    let session = AuthSession(
      account: "me",
      configuration: AuthConfiguration(retry: RetryPolicy()),
      presenter: StatePresenter(),
      vault: made.vault,
      clock: made.clock
    )
    try await session.restore()
    func shows(_ purpose: String) -> Bool {
      guard case .presencePrompt(let prompt) = session.state else { return false }
      return prompt.purpose == purpose
    }
    let token = Task { try await session.accessToken().value }
    try await until { shows("refresh") }
    var unlocking: Task<Void, any Error>?
    if isOpenBefore {
      unlocking = Task { _ = try await session.unlock() }
      try await until { made.vault.content.withLock { $0.prompts.count } == 2 }
      #expect(shows("refresh"))
    }
    made.vault.touch()
    try await until { made.clock.sleepers == 1 }
    if unlocking == nil { unlocking = Task { _ = try await session.unlock() } }
    try await until { shows("unlock") }
    made.vault.touch()
    _ = try await unlocking?.value
    made.clock.advance(by: .seconds(20))
    #expect(try await token.value == "at-1")
    #expect(session.state == .authenticated(Session.user))
  }

  @Test
  func aScriptedPersonWaitsForTheTurn() async throws {
    for answer in [ScriptedPresenter.Answer.touches, .types("system password"), .cancels] {
      let made = try await Session.signedIn(protected: true, presenter: ScriptedPresenter(answer))
      made.vault.set { $0.otherPromptIsOpen = true }
      let session = made.session
      let unlocking = Task { try await session.unlock() }
      try await until { made.presenter.prompts.first.map { $0.phase != .starting } ?? false }
      made.vault.set { $0.otherPromptIsOpen = false }
      let outcome = await unlocking.result
      #expect(((try? outcome.get()) != nil) == (answer != .cancels))
      #expect(made.presenter.prompts.count == 1)
    }
  }

  @Test
  func whoCancelsIsHeardWhateverCameBefore() async throws {
    let prompt = PresencePrompt(requester: "a test", account: "me", purpose: "unlock")
    for _ in 0..<100 { prompt.touch() }
    prompt.cancel()
    var hasCancelled = false
    for _ in 0..<16 { if case .cancel = await prompt.nextAct() { hasCancelled = true } }
    #expect(hasCancelled)
  }
}
