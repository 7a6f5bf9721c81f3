internal import DesktopPrompt
internal import Observation
internal import PresenceTerms
internal import SecretMemory
internal import System
internal import TerminalIO
internal import VaultClient

/// A presenter for programs that may have no terminal, such as a tool that an editor starts.
///
/// If the process has a terminal, the prompt is shown there, as by ``TerminalPresenter``. Otherwise
/// it is shown at the desktop of the person: in a notification while a device waits for a touch,
/// and in a window of pinentry for the system password or the PIN of a security key. The window
/// opens only after a click on "Type password" or "Type PIN" in the notification. "Deny" and a
/// closed notification cancel the prompt.
///
/// If `thumblatch agent` runs in the person's session, it shows the prompt instead, so that no
/// password reaches this process. The agent shows the words of the vault. This presenter shows the
/// prompt itself if no agent runs, if the agent does not show it within two seconds, or if the
/// policy or the purpose allows only one method.
///
/// The prompt is cancelled at once if the process belongs to no active and unlocked session at this
/// machine, as over ssh, or if no notification server answers. The reader is armed only after the
/// notification is shown.
public struct DesktopPresenter: PresencePresenter {
  /// Makes a presenter for the desktop of this process.
  public init() {}

  /// Shows the prompt at the terminal or the desktop until it has ended.
  public func present(_ prompt: PresencePrompt) async {
    defer { prompt.release() }
    let isShown: Bool?
    if let shown = await TerminalPresenter().show(prompt) {
      isShown = shown
    } else {
      isShown = try? await BlockingWork.desktop.run { interrupt throws(AuthError) in
        let changed = try WakeEventBox.make()
        do throws(DesktopError) {
          let desktop = try Desktop(variable: ThisProcess.environment)
          let dialogue = try DesktopDialogue(prompt, at: desktop, changed, interrupt: interrupt)
          guard OpenDialogues.begin(interrupt) else { return false }
          defer { OpenDialogues.end(interrupt) }
          try dialogue.run()
          return true
        } catch {
          prompt.show(notice: "\(error)")
          return false
        }
      }
    }
    if isShown != true { prompt.cancel() }
  }
}

/// One prompt at the desktop.
private final class DesktopDialogue {
  /// How long the window of the password may stay, in seconds; the engine ends the prompt earlier.
  private static let longestQuestion: Int64 = 600

  private let prompt: PresencePrompt
  private let changed: WakeEventBox
  private let interrupt: Int32
  private let screen: DesktopScreen
  /// The phase on the screen.
  private var shown: PresencePrompt.Phase?
  private var shownQuestions = 0
  private var shownEvent: PresenceEvent?
  /// The method whose window the person asked for.
  private var wanted: PresenceMethod?
  private var question: String?

  init(
    _ prompt: PresencePrompt,
    at desktop: Desktop,
    _ changed: WakeEventBox,
    interrupt: Int32
  ) throws(DesktopError) {
    self.prompt = prompt
    self.changed = changed
    self.interrupt = interrupt
    screen = try DesktopScreen(
      at: desktop,
      purpose: prompt.wholePurpose,
      requester: prompt.requester,
      reason: prompt.passwordReason,
      scan: prompt.scan.type,
      interrupt: interrupt
    )
  }

  /// Follows the prompt until it ends.
  func run() throws(DesktopError) {
    defer { screen.close() }
    try introduce(by: prompt.firstMethods)
    prompt.release()
    while true {
      let (phase, event, notice) = observe()
      let questions = prompt.questions
      if case .ended = phase { return }
      if event != shownEvent || phase != shown {
        if let event {
          try screen.show(event)
        } else if let notice {
          try screen.show(remark: notice)
        }
      }
      if phase != shown || phase.isQuestion && questions != shownQuestions { try show(phase) }
      (shown, shownEvent, shownQuestions) = (phase, event, questions)
      while let action = screen.takeAction() {
        try act(action)
        // A server that has ended reports its end at each call.
        if action == .cancel { return }
      }
      if let question, wanted == prompt.asking || !screen.hasActions {
        self.question = nil
        try ask(question)
      } else {
        guard wait() else { return }
      }
    }
  }

  private func observe() -> (PresencePrompt.Phase, PresenceEvent?, String?) {
    let seen = withObservationTracking {
      _ = (prompt.finger, prompt.scan)
      return (prompt.phase, prompt.event, prompt.notice)
    } onChange: { [changed] in
      changed.event.signal()
    }
    // Observers do not learn of a change between the read and the start of the observation.
    if seen != (prompt.phase, prompt.event, prompt.notice) { changed.event.signal() }
    return seen
  }

  /// Waits for the prompt or the person; false if the prompt is no longer wanted.
  private func wait() -> Bool {
    let readiness = try? Readiness.wait(
      for: screen.descriptor,
      input: changed.event.descriptor.number,
      interrupt: interrupt
    )
    changed.event.clear()
    return readiness == .ready || readiness == .input
  }

  private func introduce(by methods: [PresenceMethod]) throws(DesktopError) {
    try screen.introduce(
      by: methods,
      offersPassword: prompt.allowsPassword && wanted == nil
    )
  }

  private func show(_ phase: PresencePrompt.Phase) throws(DesktopError) {
    if case .question = phase {} else { question = nil }
    switch phase {
    case .ended: break
    // The check by the password begins after the one by the finger.
    case .starting: if shown != nil { try introduce(by: [.fallback]) }
    case .queued: try screen.show(.queued)
    case .ready:
      wanted = nil
      try screen.offerTurn()
    case .finger(nil):
      try introduce(by: prompt.devices)
      try screen.show(.touch(finger: prompt.finger, scan: prompt.scan.type))
    case .finger(let advice?): try screen.show(.retry(advice.hint))
    case .waiting(let seconds):
      if prompt.notice == nil { try screen.show(.wait(seconds: seconds, wasWrong: false)) }
    case .checking: try screen.show(.checking)
    case .question(let text, _):
      question = text
      if shown == .ready || shown == .queued { wanted = nil }
      if wanted == prompt.asking {
        try introduce(by: [prompt.asking])
      } else {
        try screen.offerQuestion(by: prompt.asking)
      }
    }
  }

  private func act(_ action: DesktopScreen.Action) throws(DesktopError) {
    switch (action, shown) {
    case (.cancel, _): prompt.cancel()
    case (.proceed, .ready): prompt.begin()
    case (.proceed, _): break
    case (.pin, .question) where prompt.asking.isDevice,
      (.password, .question) where !prompt.asking.isDevice:
      wanted = prompt.asking
      // The server took the notification from the screen at the click.
      try introduce(by: [prompt.asking])
    case (.pin, _): break
    case (.password, _):
      wanted = .fallback
      prompt.choosePassword()
    }
  }

  private func ask(_ question: String) throws(DesktopError) {
    let deadline = BootInstant.now.advanced(bySeconds: Self.longestQuestion)
    var hasEnded = false
    let answer = try screen.ask(question, by: prompt.asking, until: deadline) {
      if screen.takeAction() == .cancel { hasEnded = true }
      return hasEnded
    }
    guard let answer else { return prompt.cancel() }
    prompt.answer(Password(answer))
  }
}
