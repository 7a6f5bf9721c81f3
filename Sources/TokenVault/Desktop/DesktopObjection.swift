/// Why a prompt is not shown at a desktop.
package struct DesktopObjection: Sendable, Equatable {
  /// The reasons that a client can tell apart.
  package enum Reason: String, Sendable {
    /// The policy, or the rule of the caller.
    case off
    /// Only the system password counts.
    case passwordOnly = "password_only"
    /// No agent runs in the person's session.
    case noAgent = "no_agent"
    /// The screen of the session is locked.
    case locked
  }

  package let text: String
  package let reason: Reason?

  package init(_ text: String, _ reason: Reason? = nil) {
    self.text = text
    self.reason = reason
  }

  static let noAgent = DesktopObjection(
    "no agent runs in your session (thumblatch agent)",
    .noAgent
  )

  /// No prompt is shown in a session, for the reason why no finger counts there.
  init?(_ start: String, at location: CallerLocation) {
    guard let objection = location.objection else { return nil }
    self.init("\(start): \(objection)", location.isLocked ? .locked : nil)
  }
}
