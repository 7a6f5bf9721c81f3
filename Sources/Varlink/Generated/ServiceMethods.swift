// Written by Scripts/interface from org.varlink.service.varlink: change that file instead.
// swift-format-ignore-file
package import JSON

/// Get a list of all the interfaces a service provides and information
/// about the implementation.
package struct GetInfoCall: VarlinkMethod, Equatable {
  package typealias Reply = GetInfoReply
  package static let method = "org.varlink.service.GetInfo"

  package init() {}

  package init(decoding object: JSONObject) throws(MessageError) {}

  package var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// What `GetInfo` answers.
package struct GetInfoReply: VarlinkRecord, Equatable {
  package var vendor: String
  package var product: String
  package var version: String
  package var url: String
  package var interfaces: [String]

  package init(
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

  package init(decoding object: JSONObject) throws(MessageError) {
    vendor = try object.required("vendor")
    product = try object.required("product")
    version = try object.required("version")
    url = try object.required("url")
    interfaces = try object.required("interfaces")
  }

  package var encoded: JSONObject {
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
package struct GetInterfaceDescriptionCall: VarlinkMethod, Equatable {
  package typealias Reply = GetInterfaceDescriptionReply
  package static let method = "org.varlink.service.GetInterfaceDescription"

  package var interface: String

  package init(
    interface: String
  ) {
    self.interface = interface
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    interface = try object.required("interface")
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "interface": interface,
      ])
    }
  }
}

/// What `GetInterfaceDescription` answers.
package struct GetInterfaceDescriptionReply: VarlinkRecord, Equatable {
  package var description: String

  package init(
    description: String
  ) {
    self.description = description
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    description = try object.required("description")
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "description": description,
      ])
    }
  }
}
