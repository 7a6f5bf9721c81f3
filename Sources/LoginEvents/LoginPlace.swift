/// Why a finger does not count for somebody who asks from a place.
public enum LoginObjection: String, Sendable, Equatable, CaseIterable {
  case remoteSession = "remote session"
  case notActive = "not active"
  case noSeat = "no seat"
  case noSession = "no session"
  case closing = "closing"
  case locked = "its screen is locked"
  case othersSession = "another user's session"
  case notPersonal = "not a person's session"
}

/// Where a process sits: what a person who is asked there shares with other requests, and whether a
/// finger can be that person's.
public struct LoginPlace: Sendable, Equatable {
  /// The same for all that belong together; nil: nobody else belongs to it.
  public let name: String?
  /// Why a finger does not count; nil: it does.
  public let objection: LoginObjection?
  /// Whether it is certain that this is at the machine, and not somewhere on the network.
  public let isLocal: Bool

  /// A unit that is in no session.
  init(unit: String?) {
    name = unit.map { "unit \($0)" }
    objection = .noSession
    isLocal = false
  }

  /// The session in which a user asks.
  init(_ session: LoginSession, user: UInt32) {
    let isClosing = session.state == "closing"
    // A person has left it: what was opened in it is not for what was left behind.
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

  /// The name of a session's place.
  public static func name(ofSession identifier: String) -> String { "session \(identifier)" }
}
