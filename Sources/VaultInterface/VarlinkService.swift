public import JSON

/// Asks what a service is.
public struct GetInfoCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = GetInfoReply
  /// The full name of the method.
  public static let method = "org.varlink.service.GetInfo"

  /// Without parameters.
  public init() {}

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {}

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// What a service is.
public struct GetInfoReply: VarlinkRecord, Equatable {
  /// Who made it.
  public var vendor: String
  /// What it is.
  public var product: String
  /// Its version.
  public var version: String
  /// Where to read about it.
  public var url: String
  /// The interfaces that it has.
  public var interfaces: [String]

  /// Of these parts.
  public init(vendor: String, product: String, version: String, url: String, interfaces: [String]) {
    self.vendor = vendor
    self.product = product
    self.version = version
    self.url = url
    self.interfaces = interfaces
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    vendor = try object.required("vendor")
    product = try object.required("product")
    version = try object.required("version")
    url = try object.required("url")
    interfaces = try object.required("interfaces")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "vendor": vendor,
        "product": product,
        "version": version,
        "url": url,
        "interfaces": interfaces,
      ])
    }
  }
}

/// Asks for the text of an interface.
public struct GetInterfaceDescriptionCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = GetInterfaceDescriptionReply
  /// The full name of the method.
  public static let method = "org.varlink.service.GetInterfaceDescription"

  /// Its name.
  public var interface: String

  /// Of these parts.
  public init(interface: String) {
    self.interface = interface
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    interface = try object.required("interface")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["interface": interface]) }
  }
}

/// The text of an interface.
public struct GetInterfaceDescriptionReply: VarlinkRecord, Equatable {
  /// The interface file.
  public var description: String

  /// Of these parts.
  public init(description: String) {
    self.description = description
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    description = try object.required("description")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["description": description]) }
  }
}
