internal import System
internal import TokenVault

/// How the engine reaches its helpers.
public enum HelperRoute: Sendable, Equatable {
  /// Each is a child process, started beside this program.
  case children
  /// Each is a connection to a socket in this directory, for which the service manager starts a
  /// process that is nothing to this one.
  case sockets(directory: String)

  /// The connection of a caller that is lent to a helper, so that the kernel tells the helper whose call
  /// it is; -1 if helpers serve this process's own user alone, or the caller has no connection.
  func connection(of caller: Caller) -> Int32 {
    switch self {
    case .children: -1
    case .sockets: caller.peer?.socket.number ?? -1
    }
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
