public import JSON

/// Asks for the reader.
public struct HelperGetReaderCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = HelperReader
  /// The full name of the method.
  public static let method = "io.thumblatch.Helper.GetReader"

  /// Without parameters.
  public init() {}

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {}

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// What the reader says about itself.
public struct HelperReader: VarlinkRecord, Equatable {
  /// Whether it can be used.
  public var available: Bool
  /// Its name.
  public var name: String?
  /// Its driver.
  public var driver: String?
  /// Its identity within the driver.
  public var device: String?
  /// How many touches an enrolment takes.
  public var stages: Int?
  /// Why it cannot be used.
  public var reason: String?

  /// Of these parts.
  public init(
    available: Bool,
    name: String? = nil,
    driver: String? = nil,
    device: String? = nil,
    stages: Int? = nil,
    reason: String? = nil
  ) {
    self.available = available
    self.name = name
    self.driver = driver
    self.device = device
    self.stages = stages
    self.reason = reason
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    available = try object.required("available")
    name = try object.optional("name")
    driver = try object.optional("driver")
    device = try object.optional("device")
    stages = try object.optional("stages")
    reason = try object.optional("reason")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "available": available,
        "name": name,
        "driver": driver,
        "device": device,
        "stages": stages,
        "reason": reason,
      ])
    }
  }
}
