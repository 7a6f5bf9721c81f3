/// A service's answers about itself: the methods of `org.varlink.service`.
package struct VarlinkServiceInfo: Sendable {
  /// The answer of `GetInfo`, with the interfaces filled in.
  package let info: GetInfoReply
  private let descriptions: [String: String]

  /// The interface that every service has.
  package static let serviceName = "org.varlink.service"

  /// A service of this version with these interfaces.
  ///
  /// `url` is the address of its documentation. The member is mandatory.
  package init(
    product: String = "Thumblatch",
    version: String,
    url: String = "",
    interfaces: [VarlinkInterface]
  ) {
    info = GetInfoReply(
      vendor: "Thumblatch",
      product: product,
      version: version,
      url: url,
      interfaces: [Self.serviceName] + interfaces.map(\.name)
    )
    var descriptions = [Self.serviceName: serviceDescription]
    for interface in interfaces { descriptions[interface.name] = interface.description }
    self.descriptions = descriptions
  }

  /// The answer to a call of `org.varlink.service`, or of an unknown interface; `nil` if the call
  /// is one of the service's own interfaces, which the caller answers.
  package func reply(to call: VarlinkCall) throws(MessageError) -> VarlinkReply? {
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
