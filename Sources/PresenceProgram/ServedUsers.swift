internal import System
internal import UserNames

/// Whom a presence program answers to, and about whom.
public enum ServedUsers: Sendable, Equatable {
  /// This process's user alone, or root; checks are about this process's user.
  case own
  /// The service's engine alone, which runs as the user of this name. Whom a check is about shows
  /// by the caller's own connection, which the engine lends: no message is believed.
  case callers(engine: String)

  /// The name of the socket at which callers connect, in the directory of this program's own.
  private static let listener = "io.thumblatch.Vault"

  /// The engine's user where the service is installed.
  public static let engine = "thumblatch"

  /// What a program's arguments say: none, or `--service [--engine NAME]`; nil for others.
  public init?(arguments: [String]) {
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

  /// Whom a call is about; `nil` if it does not show.
  ///
  /// What is lent must have been accepted by the listener of the service, which stands beside that
  /// of this program: any program can connect to somebody else's listener, and would hold a
  /// connection at whose other end the kernel names that user.
  func subject(_ lent: consuming Descriptor?, on socket: borrowing Descriptor) -> UInt32? {
    guard case .callers = self else { return ThisProcess.user }
    guard let connection = lent, let own = (try? socket.boundPath()) ?? nil,
      let slash = own.lastIndex(of: "/"),
      (try? connection.boundPath()) == own[...slash] + Self.listener
    else { return nil }
    // What the kernel recorded when the caller connected to the engine.
    return (try? connection.peerCredentials())?.user
  }
}
