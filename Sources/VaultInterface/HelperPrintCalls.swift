public import JSON

/// The print of the last enrolment is stored: it stays on its reader.
public struct HelperKeepCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = EmptyReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Helper.Keep"

  /// Without parameters.
  public init() {}

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {}

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { JSONObject() }
  }
}

/// Deletes the loaded prints on the reader that stores them.
public struct HelperDeletePrintsCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = HelperDeletions
  /// The full name of the method.
  public static let method = "io.thumblatch.Helper.DeletePrints"

  /// In milliseconds.
  public var timeout: Int

  /// Of these parts.
  public init(timeout: Int) {
    self.timeout = timeout
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    timeout = try object.required("timeout")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["timeout": timeout]) }
  }
}

/// What became of a print that was to be deleted on its reader.
public enum PrintDeletion: String, Sendable, CaseIterable, WireValue {
  /// The reader does not have it any longer.
  case deleted
  /// Its reader stores no prints.
  case notStored = "not_stored"
  /// It may still be on its reader.
  case left
}

/// What became of the loaded prints.
public struct HelperDeletions: VarlinkRecord, Equatable {
  /// Of each, in the order in which they were loaded.
  public var prints: [PrintDeletion]
  /// Why one is left.
  public var detail: String?

  /// Of these parts.
  public init(prints: [PrintDeletion], detail: String? = nil) {
    self.prints = prints
    self.detail = detail
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    prints = try object.required("prints")
    detail = try object.optional("detail")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["prints": prints, "detail": detail]) }
  }
}
