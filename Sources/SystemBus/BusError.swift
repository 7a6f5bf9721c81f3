package import System

/// Why a bus, or a service on it, gave no answer.
package enum BusError: Error, Equatable {
  /// libsystemd is missing or too old.
  case noLibrary
  /// There is no bus at the address.
  case noBus(SystemError)
  /// The service answered with an error.
  case refused(BusRefusal)
  /// A call failed: ETIMEDOUT if no answer came in time, EINTR if its wait was interrupted.
  case failed(SystemError)
  /// The bus has disconnected.
  case gone
  /// A message does not have the expected types.
  case notUnderstood
  /// A message exceeds the limits on values or on their length.
  case tooLong
}

/// An error message of a service.
package struct BusRefusal: Error, Equatable {
  /// The name, such as `org.freedesktop.DBus.Error.AccessDenied`.
  package let name: String
  /// The service's own text, which may hold any character.
  package let message: String
  /// The called method.
  package let method: String
  /// The error number for the name (sd_bus_message_get_errno(3)).
  package let code: Int32
}

extension BusError {
  /// The reason, as a clause.
  package var reason: String {
    switch self {
    case .noLibrary: "libsystemd is missing"
    case .noBus(let error), .failed(let error): "\(error)"
    case .refused(let refusal): refusal.name
    case .gone: "the bus has disconnected"
    case .notUnderstood, .tooLong: "it answered something else"
    }
  }
}
