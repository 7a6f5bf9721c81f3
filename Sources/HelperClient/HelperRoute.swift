/// How the engine reaches its helpers.
public enum HelperRoute: Sendable, Equatable {
  /// Each is a child process, started beside this program.
  case children
  /// Each is a connection to a socket in this directory, for which the service manager starts a
  /// process that is nothing to this one.
  case sockets(directory: String)

  /// Whether helpers serve more users than this process's own, and have to find out which.
  var isServed: Bool {
    if case .sockets = self { true } else { false }
  }
}

/// The helpers.
enum Helper {
  case presence
  case exchange

  var program: String { "thumblatch-\(socket)" }

  /// The name of its socket.
  var socket: String {
    switch self {
    case .presence: "presence"
    case .exchange: "exchange"
    }
  }
}
