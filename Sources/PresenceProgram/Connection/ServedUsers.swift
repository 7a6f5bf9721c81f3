internal import System
internal import UserNames

/// The users that a presence program answers, and the users of its checks.
package enum ServedUsers: Sendable, Equatable {
  /// Answers only this process's user or root; checks are about this process's user.
  case own
  /// Answers only the service's engine, which runs as the user with this name.
  ///
  /// The user of a check comes from the caller's own connection, which the engine lends. No message
  /// can choose it.
  case callers(engine: String)

  /// The name of the callers' socket, in the directory of this program's socket.
  private static let listener = "io.thumblatch.Vault"

  /// The user of the engine in an installed service.
  package static let engine = "thumblatch"

  /// Parses a program's arguments: none, or `--service [--engine NAME]`; `nil` for others.
  package init?(arguments: [String]) {
    switch arguments.count {
    case 0: self = .own
    case 1 where arguments[0] == "--service": self = .callers(engine: Self.engine)
    case 3 where arguments[0] == "--service" && arguments[1] == "--engine":
      self = .callers(engine: arguments[2])
    default: return nil
    }
  }

  /// Whether this peer is answered.
  func admits(_ peer: UInt32) -> Bool {
    switch self {
    case .own: peer == ThisProcess.user || peer == 0
    case .callers(let engine): peer == UserNames.user(named: engine)
    }
  }

  /// The user that a call is about; `nil` if unknown.
  ///
  /// The lent connection must have been accepted by the service's listener, which is beside this
  /// program's listener. Any program can connect to another user's listener. It would then hold a
  /// connection whose other end, according to the kernel, is that user.
  func subject(_ lent: consuming Descriptor?, on socket: borrowing Descriptor) -> UInt32? {
    guard case .callers = self else { return ThisProcess.user }
    guard let connection = lent, let own = (try? socket.boundPath()) ?? nil,
      let slash = own.lastIndex(of: "/"),
      (try? connection.boundPath()) == own[...slash] + Self.listener
    else { return nil }
    // The credentials that the kernel recorded when the caller connected to the engine.
    return (try? connection.peerCredentials())?.user
  }
}
