internal import Glibc
internal import Observation
internal import PlainText
internal import System

/// A presenter for programs at a terminal: it says who asks and why, and reads the password unseen.
///
/// Enter chooses the system password while a finger is awaited, and goes on where another prompt was
/// open until now; Ctrl-C and Ctrl-D give the prompt up. A second prompt is shown when the first has
/// ended. Where the program has no terminal the prompt is given up at once.
public struct TerminalPresenter: PresencePresenter {
  /// The controlling terminal of this process.
  public init() {}

  /// Shows the prompt at the terminal until it has ended.
  public func present(_ prompt: PresencePrompt) async {
    let hasTerminal = try? await BlockingWork.terminal.run { interrupt in
      // It may have ended while another one was shown.
      if case .ended = prompt.phase { return true }
      guard let dialogue = TerminalDialogue(prompt, interrupt) else { return false }
      dialogue.run()
      return true
    }
    if hasTerminal == false { prompt.cancel() }
  }
}

/// One prompt at the controlling terminal (tty(4)).
private final class TerminalDialogue {
  /// The most bytes of a line.
  private static let longest = 1024

  private let prompt: PresencePrompt
  private let interrupt: Int32
  private let terminal: Descriptor
  private let changed: WakeEventBox
  private let found: termios
  private var line: [UInt8] = []
  private var isAsking = false
  /// What stands on the screen: a key counts for that, whatever has come meanwhile.
  private var shown: PresencePrompt.Phase?
  /// Whether another prompt was open, which what was typed until now may have been meant for.
  private var hasQueued = false

  /// Nil where there is no terminal that may be read from now.
  init?(_ prompt: PresencePrompt, _ interrupt: Int32) {
    let number = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard number >= 0 else { return nil }
    terminal = Descriptor(owning: number)
    var modes = termios()
    // Reading would stop a job in the background (SIGTTIN).
    guard tcgetpgrp(number) == getpgrp(), unsafe tcgetattr(number, &modes) == 0,
      let changed = try? WakeEventBox.make()
    else { return nil }
    self.changed = changed
    self.prompt = prompt
    self.interrupt = interrupt
    found = modes
    line.reserveCapacity(Self.longest)
    // Unseen, byte by byte: also Ctrl-C, since a signal would leave the terminal like this.
    modes.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG)
    unsafe withUnsafeMutableBytes(of: &modes.c_cc) { characters in
      unsafe characters[Int(VMIN)] = 1
      unsafe characters[Int(VTIME)] = 0
    }
    // TCSAFLUSH drops what was typed before the question stood there: it was meant for another.
    unsafe tcsetattr(number, TCSAFLUSH, &modes)
  }

  deinit {
    var modes = found
    unsafe tcsetattr(terminal.number, TCSAFLUSH, &modes)
    wipeLine()
  }

  /// Follows the prompt until it has ended, or the task was cancelled.
  func run() {
    say(introduction)
    var notice: String?
    while true {
      let (phase, news) = observe()
      if let news, news != notice { say(news) }
      notice = news
      if phase != shown { show(phase) }
      shown = phase
      if case .ended = phase { return }
      guard wait() else { return }
    }
  }

  private func observe() -> (PresencePrompt.Phase, String?) {
    let seen = withObservationTracking {
      (prompt.phase, prompt.notice)
    } onChange: { [changed] in
      changed.event.signal()
    }
    // What changed after it was read, and before somebody listened, is told by nobody.
    if seen != (prompt.phase, prompt.notice) { changed.event.signal() }
    return seen
  }

  /// Waits for the prompt or the person; false: nobody wants it any more.
  private func wait() -> Bool {
    var entries = [
      pollfd(fd: terminal.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: changed.event.descriptor.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: interrupt, events: Int16(POLLIN), revents: 0),
    ]
    while unsafe poll(&entries, nfds_t(entries.count), -1) < 0 && errno == EINTR {}
    if entries[2].revents != 0 { return false }
    if entries[1].revents != 0 { changed.event.clear() }
    if entries[0].revents != 0 { read() }
    return true
  }

  private func read() {
    var byte: UInt8 = 0
    guard unsafe Glibc.read(terminal.number, &byte, 1) == 1 else { return prompt.cancel() }
    switch byte {
    case 0x03, 0x04: prompt.cancel()
    case 0x0A, 0x0D: enter()
    case 0x15: line.removeAll(keepingCapacity: true)
    case 0x7F, 0x08: _ = line.popLast()
    default: if line.count < Self.longest { line.append(byte) }
    }
  }

  private func enter() {
    guard isAsking else {
      wipeLine()
      switch shown {
      case .queued: return
      case .ready: return prompt.begin()
      // Enter means something only where it was offered.
      default: if prompt.allowsPassword { prompt.choosePassword() }
      }
      return
    }
    isAsking = false
    say("")
    guard let password = try? Password(wiping: &line) else { return prompt.cancel() }
    prompt.answer(password)
  }

  private func wipeLine() {
    unsafe line.withUnsafeMutableBytes { bytes in
      if let base = bytes.baseAddress { unsafe explicit_bzero(base, bytes.count) }
    }
    line.removeAll(keepingCapacity: true)
  }

  /// Throws away what was typed until now (termios(3)).
  private func discardTyped() {
    wipeLine()
    _ = tcflush(terminal.number, TCIFLUSH)
  }

  private func show(_ phase: PresencePrompt.Phase) {
    switch phase {
    case .starting, .checking, .ended: break
    case .queued:
      hasQueued = true
      say("Another prompt is open. This one waits for its end.")
    case .ready:
      discardTyped()
      hasQueued = false
      say(
        "The other prompt is over.\n\(introduction)\nPress Enter when you are ready for this one."
      )
    case .finger(nil):
      say(
        "Touch the fingerprint reader."
          + (prompt.allowsPassword ? " Enter: system password." : "")
      )
    case .finger(.longer): say("Touch again, and leave the finger on the reader longer.")
    case .finger(.center): say("Touch again, in the middle of the reader.")
    case .finger(.lift): say("Lift the finger, then touch again.")
    case .finger(.again): say("Once more, please.")
    case .waiting(let seconds): say("The next try is possible in \(seconds) s.")
    case .question(let question, _):
      if hasQueued {
        discardTyped()
        hasQueued = false
        say("The other prompt is over.\n\(introduction)")
      }
      isAsking = true
      write(question.hasSuffix(" ") ? question : question + " ")
    }
  }

  private var introduction: String {
    let account = prompt.account.map { " \($0)" } ?? ""
    let reason = prompt.reason.map { ", \($0)" } ?? ""
    let particulars = [prompt.detail, prompt.passwordReason].compactMap(\.self)
    let question = "\(prompt.requester) wants to \(prompt.purpose)\(account)\(reason)."
    return ([question] + particulars).joined(separator: "\n")
  }

  private func say(_ text: String) {
    write(text + "\n")
  }

  /// Text from elsewhere must not steer the terminal.
  private func write(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let plain = lines.map { PlainText.line(String($0), limit: .max) }.joined(separator: "\n")
    _ = try? terminal.write(plain)
  }
}
