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

/// What the system knows about the reader.
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
  /// Whether a program uses it now.
  public var inUse: Bool
  /// Whether the system can tell: a reader that is not on USB shows only when it is used.
  public var looked: Bool

  /// Of these parts.
  public init(
    available: Bool,
    name: String? = nil,
    driver: String? = nil,
    device: String? = nil,
    stages: Int? = nil,
    reason: String? = nil,
    inUse: Bool = false,
    looked: Bool = true
  ) {
    self.available = available
    self.name = name
    self.driver = driver
    self.device = device
    self.stages = stages
    self.reason = reason
    self.inUse = inUse
    self.looked = looked
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    available = try object.required("available")
    name = try object.optional("name")
    driver = try object.optional("driver")
    device = try object.optional("device")
    stages = try object.optional("stages")
    reason = try object.optional("reason")
    inUse = try object.optional("in_use") ?? false
    looked = try object.optional("looked") ?? true
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
        "in_use": inUse ? true : nil,
        "looked": looked ? nil : false,
      ])
    }
  }
}
