import Testing
import ThumblatchKit
import ThumblatchKitTesting

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
