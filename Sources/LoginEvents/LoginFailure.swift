public import System

/// Why login sessions cannot be followed.
public enum LoginFailure: Error, Sendable, Equatable {
  /// libsystemd is not there, or too old.
  case noLibrary
  /// The system bus cannot be used.
  case bus(SystemError)
  /// Nobody there knows of login sessions.
  case noLogind(SystemError)
  /// logind has gone, or the bus.
  case gone
  /// It says what makes no sense.
  case notUnderstood
}

extension LoginFailure: CustomStringConvertible {
  /// What is wrong.
  public var description: String {
    switch self {
    case .noLibrary: "libsystemd.so.0 is not installed"
    case .bus(let error): "the system bus cannot be used: \(error)"
    case .noLogind(let error): "systemd-logind does not answer: \(error)"
    case .gone: "systemd-logind has gone"
    case .notUnderstood: "systemd-logind is not understood"
    }
  }
}
