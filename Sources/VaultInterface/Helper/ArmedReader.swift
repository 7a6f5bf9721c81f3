internal import JSON

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
    name = try object.optional(HelperCheckMembers.name)
    driver = try object.optional(HelperCheckMembers.driver)
    scan = try object.optional(HelperCheckMembers.scan)
    finger = try object.optional(HelperCheckMembers.finger)
  }

  var members: [WireMember] {
    [
      HelperCheckMembers.name(name), HelperCheckMembers.driver(driver),
      HelperCheckMembers.scan(scan), HelperCheckMembers.finger(finger),
    ]
  }
}
