/// Why the desktop cannot show a prompt.
package enum DesktopError: Error, Equatable, CustomStringConvertible {
  /// The process belongs to no session at this machine whose screen is on and unlocked.
  case notAtDesk(reason: String)
  /// No notification server answers.
  case noServer(reason: String)
  /// The server shows no notification: it answered with the id 0, or not at all.
  case notShown
  /// No program of pinentry can open a window here.
  case noPinentry
  /// The window for the password cannot show the whole question.
  case tooLong

  /// The reason as a clause.
  package var description: String {
    switch self {
    case .notAtDesk(let reason): "this program is not at a desktop (\(reason))"
    case .noServer(let reason): "the desktop has no notification server (\(reason))"
    case .notShown: "the notification server showed no notification"
    case .noPinentry: "no pinentry can open a window for the password"
    case .tooLong: "the question is too long for the password window"
    }
  }
}
