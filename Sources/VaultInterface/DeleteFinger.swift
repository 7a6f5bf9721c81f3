public import JSON

/// Where the fingers come from that can pass a check, and how the desktop's can be seen.
public enum FingerSource: String, Sendable, CaseIterable, WireValue {
  /// All are enrolled here.
  case own
  /// The desktop's as well, by their prints.
  case fprintd
  /// The desktop's as well, of which only the names can be seen.
  case namesOnly = "names_only"
}

/// Removes a finger that was enrolled here.
public struct DeleteFingerCall: AskingMethod, Equatable {
  /// What it brings.
  public typealias Reply = DeleteFingerReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.DeleteFinger"

  /// Such as `right-index`.
  public var finger: String
  /// A prompt whose check was passed by password.
  public var prompt: String?
  /// Whether the client can ask the person: `true` at once, `false` not at all; nil: not said.
  public var ask: Bool?

  /// Of these parts.
  public init(finger: String, prompt: String? = nil, ask: Bool? = nil) {
    self.finger = finger
    self.prompt = prompt
    self.ask = ask
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    finger = try object.required("finger")
    prompt = try object.optional("prompt")
    ask = try object.optional("ask")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["finger": finger, "prompt": prompt, "ask": ask]) }
  }
}

/// The fingers that are left.
public struct DeleteFingerReply: VarlinkRecord, Equatable {
  /// Such as `right-index`.
  public var fingers: [String]
  /// Why its print may still be on the reader that stores it; `nil` if it is not.
  public var onReader: String?

  /// Of these parts.
  public init(fingers: [String], onReader: String? = nil) {
    self.fingers = fingers
    self.onReader = onReader
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    fingers = try object.required("fingers")
    onReader = try object.optional("on_reader")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["fingers": fingers, "on_reader": onReader]) }
  }
}
