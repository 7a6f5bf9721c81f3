public import JSON
public import SecretMemory

/// Why a message could not be read or written.
///
/// It names the member by its path, such as `account.state`, and never quotes its value.
public enum MessageError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The message has no NUL within the limit, or would be longer than the limit.
  case tooLong(maximum: Int)
  /// Not the JSON that Varlink sends.
  case malformed(JSONError)
  /// JSON, but not an object.
  case notAnObject
  /// A required member is missing.
  case missing(String)
  /// A member has the wrong type.
  case wrongType(String)
  /// A member has the right type, but not a valid value.
  case badValue(String)
  /// The call is for another method.
  case otherMethod
  /// A secret could not be stored.
  case memory(SecretMemoryError)

  /// The problem, without any content of the message.
  public var description: String {
    switch self {
    case .tooLong(let maximum): "a message of more than \(maximum) bytes"
    case .malformed(let error): "\(error)"
    case .notAnObject: "a message that is not an object"
    case .missing(let name): "`\(name)` is missing"
    case .wrongType(let name): "`\(name)` is of the wrong type"
    case .badValue(let name): "`\(name)` has no valid value"
    case .otherMethod: "a call of another method"
    case .memory(let error): "\(error)"
    }
  }

  /// The member that caused the error, or `nil` if the whole message did.
  public var member: String? {
    switch self {
    case .missing(let name), .wrongType(let name), .badValue(let name): name
    default: nil
    }
  }

  /// The same error for a record that is a member of another record.
  package func inside(_ name: String) -> MessageError {
    switch self {
    case .missing(let inner): .missing("\(name).\(inner)")
    case .wrongType(let inner): .wrongType("\(name).\(inner)")
    case .badValue(let inner): .badValue("\(name).\(inner)")
    default: self
    }
  }

  init(_ error: JSONError) {
    switch error {
    case .memory(let error): self = .memory(error)
    case .missing(let name): self = .missing(name)
    case .wrongType(let name): self = .wrongType(name)
    default: self = .malformed(error)
    }
  }
}
