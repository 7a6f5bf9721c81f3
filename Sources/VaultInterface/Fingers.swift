public import JSON

/// How it is known whether there is a reader.
public enum ReaderKnowledge: String, Sendable, CaseIterable, WireValue {
  /// It is plugged in, or is not.
  case plugged
  /// It was used the last time.
  case lastUsed = "last_used"
  /// The system does not show such a reader, and none was used yet.
  case notLooked = "not_looked"
}

/// What is known about the fingerprint reader, without a look at it.
public struct VaultReader: VarlinkRecord, WireValue, Equatable {
  /// Whether it can be used.
  public var available: Bool
  /// Its name.
  public var name: String?
  /// Its driver.
  public var driver: String?
  /// Why it cannot be used.
  public var reason: String?
  /// Whether a program uses it now; `nil` if that is not known.
  public var inUse: Bool?
  /// How this is known; `nil` from an engine that asks the reader.
  public var known: ReaderKnowledge?

  /// Of these parts.
  public init(
    available: Bool,
    name: String? = nil,
    driver: String? = nil,
    reason: String? = nil,
    inUse: Bool? = nil,
    known: ReaderKnowledge? = nil
  ) {
    self.available = available
    self.name = name
    self.driver = driver
    self.reason = reason
    self.inUse = inUse
    self.known = known
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    available = try object.required("available")
    name = try object.optional("name")
    driver = try object.optional("driver")
    reason = try object.optional("reason")
    inUse = try object.optional("in_use")
    known = try object.optional("known")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "available": available,
        "name": name,
        "driver": driver,
        "reason": reason,
        "in_use": inUse,
        "known": known,
      ])
    }
  }
}

/// Asks for the fingerprint reader.
public struct GetReaderCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = GetReaderReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.GetReader"

  /// Without parameters.
  public init() {}

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {}

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// The fingerprint reader.
public struct GetReaderReply: VarlinkRecord, Equatable {
  /// What it says about itself.
  public var reader: VaultReader

  /// Of these parts.
  public init(reader: VaultReader) {
    self.reader = reader
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    reader = try object.required("reader")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["reader": reader]) }
  }
}

/// Asks for the enrolled fingers.
public struct ListFingersCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = ListFingersReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.ListFingers"

  /// Without parameters.
  public init() {}

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {}

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// The enrolled fingers.
public struct ListFingersReply: VarlinkRecord, Equatable {
  /// Such as `right-index`.
  public var fingers: [String]
  /// The reader.
  public var reader: VaultReader
  /// The fingers that the desktop's settings have enrolled.
  public var desktopFingers: [String]?
  /// Where fingers come from, and how the desktop's can be seen.
  public var fingerSource: FingerSource?
  /// Why no finger counts now although some are enrolled.
  public var fingerReason: String?

  /// Of these parts.
  public init(
    fingers: [String],
    reader: VaultReader,
    desktopFingers: [String]? = nil,
    fingerSource: FingerSource? = nil,
    fingerReason: String? = nil
  ) {
    self.fingers = fingers
    self.reader = reader
    self.desktopFingers = desktopFingers
    self.fingerSource = fingerSource
    self.fingerReason = fingerReason
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    fingers = try object.required("fingers")
    reader = try object.required("reader")
    desktopFingers = try object.optional("desktop_fingers")
    fingerSource = try object.optional("finger_source")
    fingerReason = try object.optional("finger_reason")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "fingers": fingers,
        "reader": reader,
        "desktop_fingers": desktopFingers,
        "finger_source": fingerSource,
        "finger_reason": fingerReason,
      ])
    }
  }
}

/// Enrols a finger, with `more`.
public struct EnrollFingerCall: AskingMethod, Equatable {
  /// What it brings.
  public typealias Reply = EnrollFingerReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.EnrollFinger"

  /// Such as `right-index`; nil: the first that is free.
  public var finger: String?
  /// A prompt whose check was passed by password.
  public var prompt: String?
  /// Whether the client can ask the person: `true` at once, `false` not at all; nil: not said.
  public var ask: Bool?

  /// Of these parts.
  public init(finger: String? = nil, prompt: String? = nil, ask: Bool? = nil) {
    self.finger = finger
    self.prompt = prompt
    self.ask = ask
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    finger = try object.optional("finger")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["finger": finger, "prompt": prompt, "ask": ask]) }
  }
}

/// How an enrolment goes.
public struct EnrollFingerReply: VarlinkRecord, Equatable {
  /// What happened.
  public var event: EnrollEvent
  /// The finger.
  public var finger: String
  /// How many touches are done.
  public var stage: Int
  /// How many touches there are.
  public var stages: Int
  /// What to do differently, for `retry`.
  public var hint: ScanHint?
  /// How the reader wants to be touched.
  public var scan: ScanType?

  /// Of these parts.
  public init(
    event: EnrollEvent,
    finger: String,
    stage: Int,
    stages: Int,
    hint: ScanHint? = nil,
    scan: ScanType? = nil
  ) {
    self.event = event
    self.finger = finger
    self.stage = stage
    self.stages = stages
    self.hint = hint
    self.scan = scan
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    event = try object.required("event")
    finger = try object.required("finger")
    stage = try object.required("stage")
    stages = try object.required("stages")
    hint = try object.optional("hint").map(ScanHint.init(name:))
    scan = try object.optional("scan")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "event": event,
        "finger": finger,
        "stage": stage,
        "stages": stages,
        "hint": hint,
        "scan": scan,
      ])
    }
  }
}

/// What happened in an enrolment.
public enum EnrollEvent: String, Sendable, CaseIterable, WireValue {
  /// The reader waits for a touch.
  case waiting
  /// One more touch is done.
  case stage
  /// The last touch does not count.
  case retry
  /// The finger is enrolled.
  case done
}
