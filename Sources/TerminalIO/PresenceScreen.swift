internal import PlainText
package import PresenceTerms
package import VaultClient
internal import VaultInterface

/// What a person at a terminal reads of a presence check, in commands and in apps.
package struct PresenceScreen {
  private let terminal: Terminal
  private let purpose: String
  private let requester: String
  private let reason: String?
  private var scan: ScanType

  /// Makes the screen of one prompt.
  ///
  /// - Parameters:
  ///   - terminal: where it is shown.
  ///   - purpose: the action that a passed check allows, from `PresenceText.purpose(of:)`.
  ///   - requester: the program that asks.
  ///   - reason: why the password is needed although a finger is usually enough.
  ///   - scan: how to touch the reader, as far as that is known.
  package init(
    on terminal: Terminal,
    purpose: String,
    requester: String,
    reason: String?,
    scan: ScanType
  ) {
    self.terminal = terminal
    self.purpose = purpose
    self.requester = requester
    self.reason = reason
    self.scan = scan
  }

  /// Shows the purpose and the requester, before the reader is armed and before any question.
  ///
  /// A passed check allows what is shown.
  package func introduce(by methods: [PresenceMethod], offersPassword: Bool) {
    if let reason { terminal.say(PresenceText.reason(reason)) }
    terminal.say(
      PresenceText.prompt(
        methods,
        to: purpose,
        requester: requester,
        password: offersPassword,
        scan
      )
    )
  }

  /// Shows an event of the check.
  package mutating func show(_ event: PresenceEvent) {
    switch event {
    case .queued: terminal.status(PresenceText.queued)
    case .waiting: terminal.status("still waiting for the reader")
    case .touch(let finger, let scan):
      self.scan = scan ?? self.scan
      terminal.status(PresenceText.touch(finger, self.scan))
    case .retry(let hint): terminal.status(PresenceText.advice(hint, scan))
    case .wait(let seconds, let wasWrong):
      terminal.status(PresenceText.wait(seconds, hasAnswered: wasWrong))
    case .checking: terminal.status(PresenceText.checking)
    case .said(let text): terminal.say(text)
    case .failed(let method, let outcome, let message, let left):
      terminal.say(PresenceText.nextTry(after: method, outcome, message, left: left, scan))
    }
  }

  /// Shows that the prompt before this one is over, and drops what was typed for that one.
  package func takeTurn(byDevice: Bool) {
    terminal.clearStatus()
    terminal.discardTyped()
    terminal.say(byDevice ? PresenceText.isReady : PresenceText.isOver)
  }
}
