public import JSON
public import SecretMemory

/// Why a message could not be read or made.
///
/// It names the member by its path, such as `account.state`, never what stood there.
public enum MessageError: Error, Equatable, Sendable, CustomStringConvertible {
  /// No NUL within the most bytes that a message may have, or a message that would have more.
  case tooLong(maximum: Int)
  /// Not the JSON that Varlink sends.
  case malformed(JSONError)
  /// JSON, but not an object.
  case notAnObject
  /// A member that must be there is missing.
  case missing(String)
  /// A member is of the wrong type.
  case wrongType(String)
  /// A member is of the right type, but no value that it may have.
  case badValue(String)
  /// The call is one of another method than was asked for.
  case otherMethod
  /// A secret could not be held.
  case memory(SecretMemoryError)

  /// What happened, without anything of the message.
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

  /// The member that is to blame, or `nil` if the whole message is.
  public var member: String? {
    switch self {
    case .missing(let name), .wrongType(let name), .badValue(let name): name
    default: nil
    }
  }

  /// The same error of a record that is a member of another.
  func inside(_ name: String) -> MessageError {
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
