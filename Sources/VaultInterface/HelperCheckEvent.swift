public import JSON

/// What happens in a presence check, as the helper tells the engine.
public enum HelperCheckEvent: VarlinkRecord, Equatable {
  /// The reader is open.
  case ready
  /// The reader waits for a touch.
  case waiting
  /// The reader could not see the finger well.
  case retry(ScanHint)
  /// A question to show; whether the answer is hidden. Answer it with `HelperRespondCall`.
  case ask(text: String, hidden: Bool)
  /// It passed; by which finger, where it was one.
  case matched(finger: String?)
  /// Another finger, or a wrong password.
  case notMatched
  /// There was no decision.
  case failed(HelperFailure, detail: String?)

  private enum Name: String, CaseIterable, WireValue {
    case ready
    case waiting
    case retry
    case ask
    case matched
    case notMatched = "not_matched"
    case failed
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required("event") as Name {
    case .ready: self = .ready
    case .waiting: self = .waiting
    case .retry: self = .retry(ScanHint(name: try object.optional("hint") ?? ""))
    case .ask:
      self = .ask(text: try object.required("text"), hidden: try object.optional("hidden") ?? true)
    case .matched: self = .matched(finger: try object.optional("finger"))
    case .notMatched: self = .notMatched
    case .failed:
      self = .failed(try object.required("reason"), detail: try object.optional("detail"))
    }
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      switch self {
      case .ready: try .wire(["event": Name.ready])
      case .waiting: try .wire(["event": Name.waiting])
      case .retry(let hint): try .wire(["event": Name.retry, "hint": hint])
      case .ask(let text, let hidden):
        try .wire(["event": Name.ask, "text": text, "hidden": hidden])
      case .matched(let finger): try .wire(["event": Name.matched, "finger": finger])
      case .notMatched: try .wire(["event": Name.notMatched])
      case .failed(let reason, let detail):
        try .wire(["event": Name.failed, "reason": reason, "detail": detail])
      }
    }
  }
}
