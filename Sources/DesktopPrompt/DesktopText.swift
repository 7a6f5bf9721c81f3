internal import PlainText
internal import PresenceTerms
internal import TerminalIO
internal import VaultClient

/// The sentences of a prompt at the desktop.
enum DesktopText {
  static let summary = "Presence check"
  static let password = NotificationServer.Action(key: "password", label: "Type password")
  static let pin = NotificationServer.Action(key: "pin", label: "Type PIN")
  static let deny = NotificationServer.Action(key: "deny", label: "Deny")
  static let proceed = NotificationServer.Action(key: "continue", label: "Continue")
  /// The other prompt has ended, and the reader is armed only after "Continue".
  static let isReady = "\(PresenceText.isOver) Continue when you are ready for this one."

  /// The most columns of a line in a window.
  ///
  /// A window is as wide as its longest word, and a wide one would leave the screen.
  static let columns = 72

  /// A text in lines that a window shows whole.
  static func lines(of text: String) -> String {
    PlainText.wrapped(text, columns: columns, breaksWords: true).joined(separator: "\n")
  }

  /// The remark of an event; `nil` if the notification stays as it is.
  static func remark(_ event: PresenceEvent, _ scan: ScanType) -> String? {
    switch event {
    case .queued: PresenceText.queued
    case .waiting: nil
    case .touch(let finger, let scan): finger.map { PresenceText.touch($0, scan ?? .press) }
    case .retry(let hint): PresenceText.advice(hint, scan)
    case .wait(let seconds, let wasWrong): PresenceText.wait(seconds, hasAnswered: wasWrong)
    case .checking: PresenceText.checking
    case .said(let text): PlainText.line(text)
    case .failed(let method, let outcome, let message, let left):
      // Enter has no meaning here: the notification has a button for the password.
      PresenceText.nextTry(
        after: method,
        outcome,
        message,
        left: left.contains(where: \.isDevice) ? left.filter(\.isDevice) : left,
        scan
      )
    }
  }
}
