internal import Observation
internal import PresenceTerms
internal import System
internal import TerminalIO
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
    if await show(prompt) != true { prompt.cancel() }
  }

  /// Shows the prompt until it has ended.
  ///
  /// Returns false if the terminal failed, and `nil` if the process has none.
  func show(_ prompt: PresencePrompt) async -> Bool? {
    prompt.isQueued = true
    let isShown = try? await BlockingWork.terminal.run { interrupt throws(AuthError) -> Bool? in
      prompt.isQueued = false
      // The prompt may have ended while another one was shown.
      if case .ended = prompt.phase { return true }
      guard let terminal = Terminal.controlling(takesInterruptKey: true) else { return nil }
      guard OpenDialogues.begin(interrupt) else { return false }
      // The program may exit as soon as the call has ended. The exit waits until the terminal is
      // restored.
      defer {
        terminal.restore()
        OpenDialogues.end(interrupt)
      }
      // A terminal shows a prompt before the person can answer it.
      prompt.release()
      let changed = try WakeEventBox.make()
      do throws(TerminalError) {
        try terminal.hideInput()
        var line = try HiddenLine()
        let dialogue = TerminalDialogue(prompt, terminal, changed, interrupt: interrupt)
        try dialogue.run(&line)
        return true
      } catch {
        return error == .interrupted
      }
    }
    return isShown ?? nil
  }
}

/// One prompt at the controlling terminal.
private final class TerminalDialogue {
  private let prompt: PresencePrompt
  private let terminal: Terminal
  private let changed: WakeEventBox
  private let interrupt: Int32
  private var screen: PresenceScreen
  private var isAsking = false
  /// Whether the screen shows the purpose and the requester.
  private var isIntroduced = false
  /// The phase on the screen.
  ///
  /// A key answers this phase, even if a newer one has arrived.
  private var shown: PresencePrompt.Phase?
  private var shownQuestions = 0
  /// The failed tries that the screen has shown: two of them may have the same words.
  private var shownFailures = 0
  /// The finger on the screen, and how to touch the reader.
  private var shownTouch: PresenceEvent?
  /// Whether another prompt was open, so that input until now may have been meant for it.
  private var hasQueued = false

  init(_ prompt: PresencePrompt, _ terminal: Terminal, _ changed: WakeEventBox, interrupt: Int32) {
    self.prompt = prompt
    self.terminal = terminal
    self.changed = changed
    self.interrupt = interrupt
    screen = PresenceScreen(
      on: terminal,
      purpose: prompt.wholePurpose,
      requester: prompt.requester,
      reason: prompt.passwordReason,
      scan: prompt.scan.type
    )
  }

  private var touch: PresenceEvent { .touch(finger: prompt.finger, scan: prompt.scan.type) }

  /// Follows the prompt until it ends.
  ///
  /// - Throws: `interrupted` if the prompt is no longer wanted.
  func run(_ line: inout HiddenLine) throws(TerminalError) {
    defer { terminal.clearStatus() }
    var notice: String?
    shownTouch = touch
    while true {
      let (phase, news, failures) = observe()
      let questions = prompt.questions
      if let news, news != notice || failures != shownFailures { terminal.say(news) }
      (notice, shownFailures) = (news, failures)
      let touch = touch
      if phase != shown || phase.isQuestion && questions != shownQuestions {
        show(phase, &line)
      } else if phase == .finger(nil), touch != shownTouch {
        screen.show(touch)
      }
      (shown, shownQuestions) = (phase, questions)
      shownTouch = touch
      if case .ended = phase { return }
      try wait(&line)
    }
  }

  private func observe() -> (PresencePrompt.Phase, String?, Int) {
    let seen = withObservationTracking {
      _ = (prompt.finger, prompt.scan)
      return (prompt.phase, news, prompt.failures)
    } onChange: { [changed] in
      changed.event.signal()
    }
    // Observers do not learn of a change between the read and the start of the observation.
    if seen != (prompt.phase, news, prompt.failures) { changed.event.signal() }
    return seen
  }

  /// The last notice, in the words of the commands if it is about an event of the check.
  private var news: String? {
    switch prompt.event {
    case .wait(let seconds, let wasWrong): PresenceText.wait(seconds, hasAnswered: wasWrong)
    case .failed(let method, let outcome, let message, let left):
      PresenceText.nextTry(after: method, outcome, message, left: left, prompt.scan.type)
    default: prompt.notice
    }
  }

  /// Waits for the prompt or the person.
  private func wait(_ line: inout HiddenLine) throws(TerminalError) {
    let readiness = try terminal.wait(with: changed.event.descriptor.number, interrupt: interrupt)
    guard readiness == .ready else {
      changed.event.clear()
      return
    }
    switch line.readKey(of: terminal) {
    case .character: break
    case .cancel: prompt.cancel()
    case .end: enter(&line)
    }
  }

  private func enter(_ line: inout HiddenLine) {
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
    guard let password = try? line.take() else { return prompt.cancel() }
    prompt.answer(Password(password))
  }

  private func show(_ phase: PresencePrompt.Phase, _ line: inout HiddenLine) {
    switch phase {
    case .starting, .ended: break
    case .checking: screen.show(.checking)
    case .queued:
      introduce(by: prompt.firstMethods)
      hasQueued = true
      screen.show(.queued)
    case .ready: takeTurn(byDevice: true, &line)
    case .finger(nil): introduce(by: prompt.devices)
    case .finger(let advice?): screen.show(.retry(advice.hint))
    case .waiting(let seconds):
      introduce(by: [.fallback])
      // The engine's own prompt has already said it in a notice.
      if prompt.notice == nil { screen.show(.wait(seconds: seconds, wasWrong: false)) }
    case .question(let question, _):
      if hasQueued { takeTurn(byDevice: false, &line) }
      introduce(by: [prompt.asking])
      isAsking = true
      terminal.ask(check: question)
    }
  }

  /// Shows the purpose and the requester once.
  private func introduce(by methods: [PresenceMethod]) {
    guard !isIntroduced else { return }
    isIntroduced = true
    screen.introduce(by: methods, offersPassword: prompt.allowsPassword)
  }

  /// Takes the turn after another prompt.
  private func takeTurn(byDevice: Bool, _ line: inout HiddenLine) {
    line.erase()
    screen.takeTurn(byDevice: byDevice)
    hasQueued = false
    isIntroduced = false
  }
}
