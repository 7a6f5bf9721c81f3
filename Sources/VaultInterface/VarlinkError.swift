internal import JSON

/// The errors of `org.varlink.service`, which every service may answer.
public enum VarlinkError: Error, Equatable, Sendable {
  /// No such interface here.
  case interfaceNotFound(String)
  /// No such method in the interface.
  case methodNotFound(String)
  /// The interface has the method, but not here.
  case methodNotImplemented(String)
  /// A parameter is missing, of the wrong type, or has no valid value: its path.
  case invalidParameter(String)
  /// The caller may not.
  case permissionDenied
  /// The method must be called with `more`.
  case expectedMore

  private static let prefix = "org.varlink.service."

  /// The answer to a call whose parameters cannot be read.
  public init(_ error: MessageError) {
    self = .invalidParameter(error.member ?? "parameters")
  }

  /// The error of a reply, or nil where it has none or another interface's.
  public init?(decoding reply: VarlinkReply) throws(MessageError) {
    let parameters = reply.parameters
    switch reply.error {
    case Self.prefix + "InterfaceNotFound":
      self = .interfaceNotFound(try parameters.optional("interface") ?? "")
    case Self.prefix + "MethodNotFound":
      self = .methodNotFound(try parameters.optional("method") ?? "")
    case Self.prefix + "MethodNotImplemented":
      self = .methodNotImplemented(try parameters.optional("method") ?? "")
    case Self.prefix + "InvalidParameter":
      self = .invalidParameter(try parameters.optional("parameter") ?? "")
    case Self.prefix + "PermissionDenied": self = .permissionDenied
    case Self.prefix + "ExpectedMore": self = .expectedMore
    default: return nil
    }
  }

  /// The reply that carries this error.
  public var reply: VarlinkReply {
    let (name, parameters): (String, JSONObject) =
      switch self {
      case .interfaceNotFound(let name): ("InterfaceNotFound", ["interface": .string(name)])
      case .methodNotFound(let name): ("MethodNotFound", ["method": .string(name)])
      case .methodNotImplemented(let name): ("MethodNotImplemented", ["method": .string(name)])
      case .invalidParameter(let name): ("InvalidParameter", ["parameter": .string(name)])
      case .permissionDenied: ("PermissionDenied", JSONObject())
      case .expectedMore: ("ExpectedMore", JSONObject())
      }
    return VarlinkReply(parameters: parameters, error: Self.prefix + name)
  }
}
