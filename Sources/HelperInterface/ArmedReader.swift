internal import JSON
package import PresenceTerms
internal import Varlink

/// The reader that was armed, by its own description.
package struct ArmedReader: Sendable, Equatable {
  package var name: String?
  package var driver: String?
  package var scan: ScanType?
  /// The one finger that can match, if the reader accepts only one print at a time.
  package var finger: String?

  package init(
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
