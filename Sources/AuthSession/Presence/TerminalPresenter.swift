internal import Observation
internal import PlainText
internal import System
internal import VaultClient

/// A presenter for programs at a terminal.
///
/// It shows the requester and the reason in the words of the `thumblatch` command, and reads the
/// password without echo.
///
/// While the prompt waits for a finger, Enter chooses the system password. After another prompt,
/// Enter continues with this one. Ctrl-C and Ctrl-D cancel the prompt. A second prompt is shown
/// when the first has ended. Without a terminal the prompt is cancelled at once.
public struct TerminalPresenter: PresencePresenter {
  /// Makes a presenter for the controlling terminal of this process.
  public init() {}

  /// Shows the prompt at the terminal until it has ended.
  public func present(_ prompt: PresencePrompt) async {
    let isShown = try? await BlockingWork.terminal.run { interrupt throws(AuthError) in
      // The prompt may have ended while another one was shown.
      if case .ended = prompt.phase { return true }
      guard let terminal = HiddenTerminal() else { return false }
      let changed = try WakeEventBox.make()
      try TypedLine.lend { line throws(AuthError) in
        TerminalDialogue(prompt, terminal, changed, interrupt: interrupt).run(&line)
      }
      return true
    }
    if isShown != true { prompt.cancel() }
  }
}

/// One prompt at the controlling terminal.
private final class TerminalDialogue {
  private let prompt: PresencePrompt
  private let terminal: HiddenTerminal
  private let changed: WakeEventBox
  private let interrupt: Int32
  private var isAsking = false
  /// Whether the screen shows the purpose and the requester.
  private var isIntroduced = false
  /// The phase on the screen.
  ///
  /// A key answers this phase, even if a newer one has arrived.
  private var shown: PresencePrompt.Phase?
  /// The text on the screen that says how to touch the reader.
  private var shownTouch = ""
  /// Whether another prompt was open, so that input until now may have been meant for it.
  private var hasQueued = false

  init(
    _ prompt: PresencePrompt,
    _ terminal: HiddenTerminal,
    _ changed: WakeEventBox,
    interrupt: Int32
  ) {
    self.prompt = prompt
    self.terminal = terminal
    self.changed = changed
    self.interrupt = interrupt
  }

  /// Follows the prompt until it ends, or until the task is cancelled.
  func run(_ line: inout TypedLine) {
    var notice: String?
    while true {
      let (phase, news) = observe()
      if let news, news != notice { say(news) }
      notice = news
      let touch = PresenceText.touch(prompt.finger, prompt.scan.type)
      if phase != shown {
        show(phase, &line)
      } else if phase == .finger(nil), touch != shownTouch {
        say(touch)
      }
      shown = phase
      shownTouch = touch
      if case .ended = phase { return }
      guard wait(&line) else { return }
    }
  }

  private func observe() -> (PresencePrompt.Phase, String?) {
    let seen = withObservationTracking {
      _ = (prompt.finger, prompt.scan)
      return (prompt.phase, prompt.spokenNotice)
    } onChange: { [changed] in
      changed.event.signal()
    }
    // Observers do not learn of a change between the read and the start of the observation.
    if seen != (prompt.phase, prompt.spokenNotice) { changed.event.signal() }
    return seen
  }

  /// Waits for the prompt or the person.
  ///
  /// Returns false if the prompt is no longer wanted.
  private func wait(_ line: inout TypedLine) -> Bool {
    let ready = terminal.wait(with: changed.event.descriptor.number, interrupt)
    if ready[2] { return false }
    if ready[1] { changed.event.clear() }
    guard ready[0] else { return true }
    switch line.readKey(of: terminal) {
    case .character: break
    case .cancel: prompt.cancel()
    case .end: enter(&line)
    }
    return true
  }

  private func enter(_ line: inout TypedLine) {
    guard isAsking else {
      line.erase()
      switch shown {
      case .queued: return
      case .ready: return prompt.begin()
      // Enter has a meaning only if the prompt offered it.
      default: if prompt.allowsPassword { prompt.choosePassword() }
      }
      return
    }
    isAsking = false
    terminal.endLine()
    guard let password = try? line.takePassword() else { return prompt.cancel() }
    prompt.answer(password)
  }

  private func show(_ phase: PresencePrompt.Phase, _ line: inout TypedLine) {
    switch phase {
    case .starting, .checking, .ended: break
    case .queued:
      introduce(byFinger: prompt.allowsFingerprint)
      hasQueued = true
      say(PresenceText.queued)
    case .ready:
      discardTyped(&line)
      hasQueued = false
      isIntroduced = false
      say(PresenceText.isReady)
    case .finger(nil): introduce(byFinger: true)
    case .finger(let advice?): say(PresenceText.advice(advice.hint, prompt.scan.type))
    case .waiting(let seconds):
      introduce(byFinger: false)
      // The engine's own prompt has already said it in a notice.
      if prompt.spokenNotice == nil { say(PresenceText.wait(seconds, hasAnswered: false)) }
    case .question(let question, _):
      if hasQueued {
        discardTyped(&line)
        hasQueued = false
        isIntroduced = false
        say(PresenceText.isOver)
      }
      introduce(byFinger: false)
      isAsking = true
      terminal.ask(PresenceText.question(question))
    }
  }

  /// Shows the purpose and the requester once, before the reader is armed and before any question.
  private func introduce(byFinger: Bool) {
    guard !isIntroduced else { return }
    isIntroduced = true
    if let reason = prompt.passwordReason { say(PresenceText.reason(reason)) }
    let action = prompt.reason.map { "\(prompt.action), \(PlainText.line($0))" } ?? prompt.action
    say(
      byFinger
        ? PresenceText.fingerprintPrompt(
          to: action,
          requester: prompt.requester,
          password: prompt.allowsPassword,
          prompt.scan.type
        ) : PresenceText.passwordPrompt(to: action, requester: prompt.requester)
    )
  }

  /// Drops input until now, because it may have been meant for another prompt.
  private func discardTyped(_ line: inout TypedLine) {
    line.erase()
    terminal.discardTyped()
  }

  private func say(_ sentence: String) {
    terminal.say(sentence, limit: PresenceText.longestDetail + 600)
  }
}
