// Written by Scripts/interface from org.varlink.service.varlink: change that file instead.
// swift-format-ignore-file
public import JSON

/// Get a list of all the interfaces a service provides and information
/// about the implementation.
public struct GetInfoCall: VarlinkMethod, Equatable {
  public typealias Reply = GetInfoReply
  public static let method = "org.varlink.service.GetInfo"

  public init() {}

  public init(decoding object: JSONObject) throws(MessageError) {}

  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// What `GetInfo` answers.
public struct GetInfoReply: VarlinkRecord, Equatable {
  public var vendor: String
  public var product: String
  public var version: String
  public var url: String
  public var interfaces: [String]

  public init(
    vendor: String,
    product: String,
    version: String,
    url: String,
    interfaces: [String]
  ) {
    self.vendor = vendor
    self.product = product
    self.version = version
    self.url = url
    self.interfaces = interfaces
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    vendor = try object.required("vendor")
    product = try object.required("product")
    version = try object.required("version")
    url = try object.required("url")
    interfaces = try object.required("interfaces")
  }

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

/// Get the description of an interface that is implemented by this service.
public struct GetInterfaceDescriptionCall: VarlinkMethod, Equatable {
  public typealias Reply = GetInterfaceDescriptionReply
  public static let method = "org.varlink.service.GetInterfaceDescription"

  public var interface: String

  public init(
    interface: String
  ) {
    self.interface = interface
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    interface = try object.required("interface")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "interface": interface,
      ])
    }
  }
}

/// What `GetInterfaceDescription` answers.
public struct GetInterfaceDescriptionReply: VarlinkRecord, Equatable {
  public var description: String

  public init(
    description: String
  ) {
    self.description = description
  }

  public init(decoding object: JSONObject) throws(MessageError) {
    description = try object.required("description")
  }

  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "description": description,
      ])
    }
  }
}
