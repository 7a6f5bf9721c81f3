/// Why a finger does not count for a caller at a location.
package enum LoginObjection: String, Sendable, Equatable, CaseIterable {
  case remoteSession = "remote session"
  case notActive = "not active"
  case noSeat = "no seat"
  case noSession = "no session"
  case closing = "closing"
  case locked = "its screen is locked"
  case othersSession = "another user's session"
  case notPersonal = "not a person's session"
}

/// The location of a process: which other requests belong to the same person, and whether a finger
/// can be that person's.
package struct LoginLocation: Sendable, Equatable {
  /// A name that all callers of the location share; `nil` if no other caller belongs to it.
  package let name: String?
  /// Why a finger does not count; `nil` if it does.
  package let objection: LoginObjection?
  /// Whether the location is certainly at the machine, not on the network.
  package let isLocal: Bool
  /// Whether the process belongs to a session, or to the manager of a user with a session.
  package let hasSession: Bool

  /// Makes the location of a unit outside any session.
  init(unit: String?) {
    name = unit.map { "unit \($0)" }
    objection = .noSession
    isLocal = false
    hasSession = false
  }

  init(_ session: UserSession, user: UInt32) {
    hasSession = true
    let isClosing = session.state == "closing"
    // The person has left the session: processes left behind must not use its unlock window.
    name = (isClosing ? "closing " : "") + Self.name(ofSession: session.identifier)
    isLocal = !session.isRemote && !session.seat.isEmpty && session.kind == "user" && !isClosing
    objection =
      if session.user != user {
        .othersSession
      } else if isClosing {
        .closing
      } else if session.isRemote {
        .remoteSession
      } else if session.kind != "user" {
        .notPersonal
      } else if session.seat.isEmpty {
        .noSeat
      } else if !session.isActive || session.state != "active" {
        .notActive
      } else if session.isLocked {
        .locked
      } else {
        nil
      }
  }

  package static func name(ofSession identifier: String) -> String { "session \(identifier)" }
}
