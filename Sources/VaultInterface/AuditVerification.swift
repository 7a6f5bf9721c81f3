public import JSON

/// Asks whether the audit trail is whole.
public struct VerifyAuditCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = VerifyAuditReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.VerifyAudit"

  /// No parameters.
  public init() {}

  /// Ignores all members.
  public init(decoding object: JSONObject) throws(MessageError) {}

  /// No members.
  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// Whether it is, and what is wrong with it first.
public struct VerifyAuditReply: VarlinkRecord, Equatable {
  /// Whether every record is what was written, and none is missing.
  public var whole: Bool
  /// How many records there are.
  public var records: Int
  /// The number of the first one; 0 where there is none.
  public var first: Int
  /// The number of the last one.
  public var last: Int
  /// When the first one was written, in seconds since 1970.
  public var firstTime: Int?
  /// When the last one was written.
  public var lastTime: Int?
  /// The first number whose record is not what was written, or is missing.
  public var bad: Int?
  /// The time that stands in the record of that number, where there is one.
  public var badTime: Int?
  /// What is wrong there, by name: `altered`, `dropped`, `reordered`, `truncated`, `duplicated`,
  /// `added`, `head` or `checkpoint`.
  public var problem: String?

  /// Of these parts.
  public init(
    whole: Bool,
    records: Int,
    first: Int,
    last: Int,
    firstTime: Int? = nil,
    lastTime: Int? = nil,
    bad: Int? = nil,
    badTime: Int? = nil,
    problem: String? = nil
  ) {
    self.whole = whole
    self.records = records
    self.first = first
    self.last = last
    self.firstTime = firstTime
    self.lastTime = lastTime
    self.bad = bad
    self.badTime = badTime
    self.problem = problem
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    whole = try object.required("whole")
    records = try object.required("records")
    first = try object.required("first")
    last = try object.required("last")
    firstTime = try object.optional("first_time")
    lastTime = try object.optional("last_time")
    bad = try object.optional("bad")
    badTime = try object.optional("bad_time")
    problem = try object.optional("problem")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "whole": whole,
        "records": records,
        "first": first,
        "last": last,
        "first_time": firstTime,
        "last_time": lastTime,
        "bad": bad,
        "bad_time": badTime,
        "problem": problem,
      ])
    }
  }
}
