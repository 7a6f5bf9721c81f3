public import JSON

/// Asks the engine what it finds wrong with the vault, with `more`.
public struct ExamineCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = ExamineReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.Examine"

  /// Without parameters.
  public init() {}

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {}

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// How bad a finding is.
public enum FindingLevel: String, Sendable, CaseIterable, WireValue {
  /// As it should be.
  case ok
  /// Works, but not as well as it could.
  case warning
  /// Does not work, or is not safe.
  case problem
}

/// One thing that was looked at.
public struct ExamineReply: VarlinkRecord, Equatable {
  /// What was looked at: a stable name.
  public var name: String
  /// How it is.
  public var level: FindingLevel
  /// What was found.
  public var message: String
  /// What to do about it.
  public var remedy: String?

  /// Of these parts.
  public init(name: String, level: FindingLevel, message: String, remedy: String? = nil) {
    self.name = name
    self.level = level
    self.message = message
    self.remedy = remedy
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    name = try object.required("name")
    level = try object.required("level")
    message = try object.required("message")
    remedy = try object.optional("remedy")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire(["name": name, "level": level, "message": message, "remedy": remedy])
    }
  }
}
