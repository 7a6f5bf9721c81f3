internal import Configuration

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

  /// The objection to a session where no finger counts; `nil` if a finger counts.
  init?(_ start: String, at location: CallerLocation) {
    guard let objection = location.objection else { return nil }
    self.init("\(start): \(objection)", location.isLocked ? .locked : nil)
  }
}

extension Vault {
  /// Why no agent may show the prompts of a caller; `nil` if one may.
  static func objection(
    _ rule: Policy.Desktop,
    to caller: CallerLocation
  ) -> DesktopObjection? {
    switch caller.hasSession {
    case .some(true): DesktopObjection("no prompt is shown for your session", at: caller)
    case .some(false) where rule == .user: nil
    case .some(false):
      DesktopObjection("the caller belongs to no session: desktop = session")
    case nil: DesktopObjection(caller.objection ?? "the session of the caller is not known")
    }
  }

  /// Why an agent at another location may not show a caller's prompt; `nil` if it may.
  static func objection(
    _ rule: Policy.Desktop,
    caller: CallerLocation,
    desk: CallerLocation
  ) -> DesktopObjection? {
    if let objection = DesktopObjection("no prompt is shown in your session", at: desk) {
      return objection
    }
    if caller.name == desk.name || caller.hasSession == false { return nil }
    return DesktopObjection("the agent belongs to another session")
  }
}
