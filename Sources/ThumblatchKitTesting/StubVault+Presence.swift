internal import Synchronization
public import ThumblatchKit

extension StubVault {
  private static let lockedOut = "too many fingers failed"

  /// The ways that count now: after too many failed fingers, only the password.
  private var capability: PresenceCapability {
    content.withLock { content in
      guard content.isLockedOut, case .fingerprint = content.settings.capability else {
        return content.settings.capability
      }
      return .passwordOnly(reason: Self.lockedOut)
    }
  }

  /// Runs one presence check, as the vault does.
  func check(_ purpose: String, _ asking: PresenceAsking) async throws(AuthError) {
    let capability = capability
    // As in the real vault: no prompt is shown if none of its ways is possible.
    if case .none(let reason) = capability { throw AuthError(.notInstalled, reason) }
    var fingers = asking.policy != .password
    if case .fingerprint = capability {} else { fingers = false }
    let password = asking.policy != .fingerprint
    guard fingers || password else {
      throw content.withLock { $0.isLockedOut }
        ? AuthError(.presence(.lockedOut), Self.lockedOut)
        : AuthError(.presence(.notAvailable), "no fingerprint reader can be used")
    }
    let prompt = PresencePrompt(
      requester: "a test",
      account: snapshot.account?.name,
      purpose: purpose,
      reason: asking.reason,
      allowsFingerprint: fingers,
      allowsPassword: password
    )
    content.withLock { $0.prompts.append(prompt) }
    defer { content.withLock { $0.prompts.removeAll { $0 === prompt } } }
    guard asking.present(prompt) else {
      throw AuthError(.presence(.cannotPrompt), "a presence check is needed")
    }
    do throws(AuthError) {
      try await lead(prompt, fingers: fingers, password: password)
      prompt.show(.ended(passed: true))
    } catch {
      prompt.show(.ended(passed: false))
      throw error
    }
  }

  private func lead(
    _ prompt: PresencePrompt,
    fingers: Bool,
    password: Bool
  ) async throws(AuthError) {
    var fingers = fingers
    try await queue(prompt)
    prompt.show(fingers ? .finger(nil) : .question("Password:", isHidden: true))
    while let act = await prompt.nextAct() {
      switch act {
      case .cancel: throw AuthError(.presence(.cancelled), "the presence check was given up")
      case .choosePassword:
        guard password else {
          throw AuthError(.presence(.passwordChosen), "the password was chosen")
        }
        fingers = false
        prompt.show(notice: nil)
        prompt.show(.question("Password:", isHidden: true))
      case .begin: continue
      case .touch:
        guard fingers else { continue }
        switch nextTouch() {
        case .match: return
        case .noMatch: prompt.show(failure: "another finger", about: .fingerprint)
        case .lockedOut:
          content.withLock { $0.isLockedOut = true }
          prompt.show(failure: Self.lockedOut, about: .fingerprint)
          guard password else { throw AuthError(.presence(.lockedOut), Self.lockedOut) }
          fingers = false
          prompt.show(.question("Password:", isHidden: true))
        }
      case .answer(let answer):
        guard !fingers else { continue }
        let isRight = content.withLock { content in
          guard answer.text == content.settings.systemPassword else { return false }
          content.isLockedOut = false
          return true
        }
        if isRight { return }
        prompt.show(failure: "the password is wrong", about: .password)
        throw AuthError(.presence(.noMatch), "the password is wrong")
      }
    }
    throw AuthError(.cancelled, "the task that asked was cancelled")
  }

  /// Waits while another prompt is open, and then until the person confirms the turn of this one.
  private func queue(_ prompt: PresencePrompt) async throws(AuthError) {
    let isQueued = content.withLock { content in
      guard content.settings.otherPromptIsOpen else { return false }
      prompt.show(.queued)
      content.queue.append(prompt)
      return true
    }
    guard isQueued else { return }
    while let act = await prompt.nextAct() {
      switch act {
      case .begin where prompt.phase == .ready: return
      case .cancel: throw AuthError(.presence(.cancelled), "the presence check was given up")
      case .answer, .begin, .choosePassword, .touch: continue
      }
    }
    throw AuthError(.cancelled, "the task that asked was cancelled")
  }

  private func nextTouch() -> Touch {
    content.withLock { content in
      content.settings.touches.isEmpty ? .match : content.settings.touches.removeFirst()
    }
  }

  /// Turns protection on or off, after a presence check.
  public func setPresenceProtection(
    _ isOn: Bool,
    of account: String,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccountSnapshot {
    try await begin(.setPresenceProtection)
    guard let found = snapshot.account else {
      throw AuthError(.signedOut, "no user is signed in")
    }
    // As in the real vault: without a change there is no check.
    guard found.isProtected != isOn else { return found }
    try await check(isOn ? "protect" : "end the protection of", asking)
    // The check that turns protection on also opens the window.
    if isOn { content.withLock { $0.settings.isUnlocked = true } }
    return try changeAccount { $0.isProtected = isOn }
  }

  /// Opens the unlock window.
  public func unlock(
    _ account: String,
    for duration: Duration?,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> UnlockWindow {
    try await begin(.unlock)
    guard snapshot.account != nil else { throw AuthError(.signedOut, "no user is signed in") }
    try await check("unlock", asking)
    set { $0.isUnlocked = true }
    return UnlockWindow(duration: duration ?? .seconds(600), accounts: [account])
  }

  /// Closes the unlock window.
  public func lock() async throws(AuthError) {
    try await begin(.lock)
    set { $0.isUnlocked = false }
  }

  /// Returns the capability that the test has set; after too many failed fingers, only the
  /// password.
  public func presenceCapability() async throws(AuthError) -> PresenceCapability {
    try await begin(.presenceCapability)
    return capability
  }

  /// Runs a presence check that releases nothing.
  public func checkPresence(_ asking: PresenceAsking) async throws(AuthError) {
    try await begin(.checkPresence)
    try await check("test", asking)
  }
}
