package import System

/// Why sessions cannot be watched.
package enum LoginFailure: Error, Sendable, Equatable {
  /// libsystemd is missing or too old.
  case noLibrary
  /// The system bus is unavailable.
  case bus(SystemError)
  /// No service on the bus knows about sessions.
  case noLogind(SystemError)
  /// logind or the bus has disconnected.
  case gone
  /// logind sent an invalid message.
  case notUnderstood
}

extension LoginFailure: CustomStringConvertible {
  /// The text for a person.
  package var description: String {
    switch self {
    case .noLibrary: "libsystemd.so.0 is not installed"
    case .bus(let error): "the system bus cannot be used: \(error)"
    case .noLogind(let error): "systemd-logind does not answer: \(error)"
    case .gone: "systemd-logind has gone"
    case .notUnderstood: "systemd-logind is not understood"
    }
  }
}
