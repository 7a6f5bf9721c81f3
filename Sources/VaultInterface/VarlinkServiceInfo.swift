/// What every service answers about itself: the methods of `org.varlink.service`.
public struct VarlinkServiceInfo: Sendable {
  /// What `GetInfo` answers, with the interfaces filled in.
  public let info: GetInfoReply
  private let descriptions: [String: String]

  private static let serviceName = "org.varlink.service"

  /// A service of this version that has these interfaces; `url` is where to read about it.
  public init(version: String, url: String = "", interfaces: [VarlinkInterface]) {
    info = GetInfoReply(
      vendor: "Thumblatch",
      product: "Thumblatch",
      version: version,
      url: url,
      interfaces: [Self.serviceName] + interfaces.map(\.name)
    )
    var descriptions = [Self.serviceName: serviceDescription]
    for interface in interfaces { descriptions[interface.name] = interface.description }
    self.descriptions = descriptions
  }

  /// The answer to a call of `org.varlink.service` or of an interface that is not here; nil where
  /// the call is one of the service's own interfaces, which the caller answers.
  public func reply(to call: VarlinkCall) throws(MessageError) -> VarlinkReply? {
    switch call.method {
    case GetInfoCall.method:
      return try VarlinkReply(info)
    case GetInterfaceDescriptionCall.method:
      let name: String
      do {
        name = try (call.content() as GetInterfaceDescriptionCall).interface
      } catch {
        return VarlinkError(error).reply
      }
      guard let description = descriptions[name] else {
        return VarlinkError.interfaceNotFound(name).reply
      }
      return try VarlinkReply(GetInterfaceDescriptionReply(description: description))
    default:
      guard call.interface != Self.serviceName else {
        return VarlinkError.methodNotFound(call.method).reply
      }
      guard descriptions[call.interface] != nil else {
        return VarlinkError.interfaceNotFound(call.interface).reply
      }
      return nil
    }
  }
}

/// The text of `org.varlink.service`: <https://varlink.org/Service>.
private let serviceDescription = #"""
  # The Varlink Service Interface is provided by every varlink service. It
  # describes the service and the interfaces it implements.
  interface org.varlink.service

  # Get a list of all the interfaces a service provides and information
  # about the implementation.
  method GetInfo() -> (
    vendor: string,
    product: string,
    version: string,
    url: string,
    interfaces: []string
  )

  # Get the description of an interface that is implemented by this service.
  method GetInterfaceDescription(interface: string) -> (description: string)

  # The requested interface was not found.
  error InterfaceNotFound (interface: string)

  # The requested method was not found
  error MethodNotFound (method: string)

  # The interface defines the requested method, but the service does not
  # implement it.
  error MethodNotImplemented (method: string)

  # One of the passed parameters is invalid.
  error InvalidParameter (parameter: string)

  # Client is denied access
  error PermissionDenied ()

  # Method is expected to be called with 'more' set to true, but wasn't
  error ExpectedMore ()

  """#
