public import JSON

/// Asks for the fingers that the user has enrolled with fprintd.
public struct HelperListEnrolledCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = HelperEnrolled
  /// The full name of the method.
  public static let method = "io.thumblatch.Helper.ListEnrolled"

  /// Whether fprintd is started if it does not run.
  public var start: Bool

  /// Of these parts.
  public init(start: Bool = true) {
    self.start = start
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    start = try object.optional("start") ?? true
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["start": start ? nil : false]) }
  }
}

/// How the desktop's fingers can be seen.
public enum EnrolledSource: String, Sendable, CaseIterable, WireValue {
  /// There are none, or no fprintd.
  case none
  /// That could not be found out.
  case unknown
  /// Their prints, in fprintd's own files.
  case prints
  /// Their names alone, through fprintd's bus.
  case names
}

/// The fingers that the user has enrolled with fprintd.
public struct HelperEnrolled: VarlinkRecord, Equatable {
  /// How they can be seen.
  public var source: EnrolledSource
  /// Their names.
  public var fingers: [String]
  /// SHA-256 of the print of each, in the same order; empty where only names can be seen.
  public var digests: [[UInt8]]
  /// Whether they are unknown because fprintd does not run and was not to be started.
  public var asleep: Bool

  /// Of these parts.
  public init(
    source: EnrolledSource,
    fingers: [String] = [],
    digests: [[UInt8]] = [],
    asleep: Bool = false
  ) {
    self.source = source
    self.fingers = fingers
    self.digests = digests
    self.asleep = asleep
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    source = try object.required("source")
    fingers = try object.required("fingers")
    let digests: [WireBytes] = try object.required("digests")
    self.digests = digests.map(\.bytes)
    asleep = try object.optional("asleep") ?? false
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "source": source,
        "fingers": fingers,
        "digests": digests.map(WireBytes.init(bytes:)),
        "asleep": asleep ? true : nil,
      ])
    }
  }
}
