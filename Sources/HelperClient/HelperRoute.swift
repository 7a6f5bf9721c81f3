internal import System
internal import TokenVault

/// The way in which the engine reaches its helpers.
package enum HelperRoute: Sendable, Equatable {
  /// Each helper is a child process, started from beside this program.
  case children
  /// Each helper is a connection to a socket in this directory.
  ///
  /// The service manager starts its process, which is not a child of this one.
  case sockets(directory: String)

  /// The caller's connection that is lent to a helper, so that the kernel tells the helper the
  /// caller's identity.
  ///
  /// It is -1 if helpers serve only this process's own user, or if the caller has no connection.
  func connection(of caller: Caller) -> Int32 {
    switch self {
    case .children: -1
    case .sockets: caller.peer?.socket.number ?? -1
    }
  }
}

enum Helper {
  case presence
  case exchange
  case secret

  var program: String { "thumblatch-\(socket)" }

  var socket: String {
    switch self {
    case .presence: "presence"
    case .exchange: "exchange"
    case .secret: "secret"
    }
  }
}
