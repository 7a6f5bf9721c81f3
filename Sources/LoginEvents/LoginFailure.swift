package import System
internal import SystemBus

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

  init(_ error: BusError) {
    self =
      switch error {
      case .noLibrary: .noLibrary
      case .noBus(let error): .bus(error)
      case .refused(let refusal): .noLogind(SystemError(refusal.method, code: refusal.code))
      case .failed(let error): .noLogind(error)
      case .gone: .gone
      case .notUnderstood, .tooLong: .notUnderstood
      }
  }
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
