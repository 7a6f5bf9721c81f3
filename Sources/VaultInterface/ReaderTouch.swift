internal import JSON

/// How a reader wants to be touched.
public enum ScanType: String, Sendable, CaseIterable, WireValue {
  /// The finger lies on it.
  case press
  /// The finger moves over it.
  case swipe
}

/// The reader that was armed, as it describes itself.
public struct ArmedReader: Sendable, Equatable {
  /// Its name.
  public var name: String?
  /// Its driver.
  public var driver: String?
  /// How it wants to be touched.
  public var scan: ScanType?
  /// The one finger that can match, where the reader takes no more than one print at a time.
  public var finger: String?

  /// Of these parts.
  public init(
    name: String? = nil,
    driver: String? = nil,
    scan: ScanType? = nil,
    finger: String? = nil
  ) {
    self.name = name
    self.driver = driver
    self.scan = scan
    self.finger = finger
  }

  init(decoding object: JSONObject) throws(MessageError) {
    name = try object.optional("name")
    driver = try object.optional("driver")
    scan = try object.optional("scan")
    finger = try object.optional("finger")
  }

  func write(to object: inout JSONObject) {
    object["name"] = name?.wire
    object["driver"] = driver?.wire
    object["scan"] = scan?.wire
    object["finger"] = finger?.wire
  }
}
