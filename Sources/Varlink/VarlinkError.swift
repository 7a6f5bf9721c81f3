internal import JSON
internal import PlainText

/// The errors of `org.varlink.service`, which every service may answer.
public enum VarlinkError: Error, Equatable, Sendable {
  /// The service does not have this interface.
  case interfaceNotFound(String)
  /// The interface does not have this method.
  case methodNotFound(String)
  /// The interface has the method, but the service does not implement it.
  case methodNotImplemented(String)
  /// A parameter is missing, has the wrong type, or has no valid value.
  ///
  /// The value is its path.
  case invalidParameter(String)
  /// The caller is not allowed to do this.
  case permissionDenied
  /// The method must be called with `more`.
  case expectedMore

  private static let prefix = "org.varlink.service."

  /// The error for a call whose parameters cannot be read.
  package init(_ error: MessageError) {
    self = .invalidParameter(error.member ?? "parameters")
  }

  /// The error of a reply, or `nil` if it has no error or that of another interface.
  package init?(decoding reply: VarlinkReply) throws(MessageError) {
    guard let error = reply.error, error.hasPrefix(Self.prefix),
      let name = ServiceErrorName(named: String(error.dropFirst(Self.prefix.count)))
    else { return nil }
    let object = reply.parameters
    switch name {
    case .interfaceNotFound: self = .interfaceNotFound(try object.optional("interface") ?? "")
    case .methodNotFound: self = .methodNotFound(try object.optional("method") ?? "")
    case .methodNotImplemented: self = .methodNotImplemented(try object.optional("method") ?? "")
    case .invalidParameter: self = .invalidParameter(try object.optional("parameter") ?? "")
    case .permissionDenied: self = .permissionDenied
    case .expectedMore: self = .expectedMore
    }
  }

  /// The reply that carries this error.
  package var reply: VarlinkReply {
    let (name, parameters): (ServiceErrorName, JSONObject) =
      switch self {
      case .interfaceNotFound(let value): (.interfaceNotFound, ["interface": .string(value)])
      case .methodNotFound(let value): (.methodNotFound, ["method": .string(value)])
      case .methodNotImplemented(let value): (.methodNotImplemented, ["method": .string(value)])
      case .invalidParameter(let value): (.invalidParameter, ["parameter": .string(value)])
      case .permissionDenied: (.permissionDenied, [:])
      case .expectedMore: (.expectedMore, [:])
      }
    return VarlinkReply(parameters: parameters, error: Self.prefix + name.rawValue)
  }
}
