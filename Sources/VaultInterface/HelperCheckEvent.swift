public import JSON

/// What happens in a presence check, as the helper tells the engine.
public enum HelperCheckEvent: VarlinkRecord, Equatable {
  /// The reader is armed.
  case ready(ArmedReader)
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
  /// The reader that stores its prints itself does not have these any longer.
  case lostPrints(detail: String?)
  /// The reader is in use, and hidden from this process; a new one may find it.
  case hidden(detail: String?)

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
    case .ready: self = .ready(try ArmedReader(decoding: object))
    case .waiting: self = .waiting
    case .retry: self = .retry(ScanHint(name: try object.optional("hint") ?? ""))
    case .ask:
      self = .ask(text: try object.required("text"), hidden: try object.optional("hidden") ?? true)
    case .matched: self = .matched(finger: try object.optional("finger"))
    case .notMatched: self = .notMatched
    case .failed:
      let reason: HelperFailure = try object.required("reason")
      let detail: String? = try object.optional("detail")
      if reason == .notEnrolled, try object.optional("lost") == true {
        self = .lostPrints(detail: detail)
      } else if reason == .busy, try object.optional("hidden_reader") == true {
        self = .hidden(detail: detail)
      } else {
        self = .failed(reason, detail: detail)
      }
    }
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      switch self {
      case .ready(let reader):
        var object: JSONObject = try .wire(["event": Name.ready])
        reader.write(to: &object)
        return object
      case .waiting: return try .wire(["event": Name.waiting])
      case .retry(let hint): return try .wire(["event": Name.retry, "hint": hint])
      case .ask(let text, let hidden):
        return try .wire(["event": Name.ask, "text": text, "hidden": hidden])
      case .matched(let finger): return try .wire(["event": Name.matched, "finger": finger])
      case .notMatched: return try .wire(["event": Name.notMatched])
      case .failed(let reason, let detail):
        return try .wire(["event": Name.failed, "reason": reason, "detail": detail])
      case .lostPrints(let detail):
        return try .wire([
          "event": Name.failed, "reason": HelperFailure.notEnrolled, "detail": detail,
          "lost": true,
        ])
      case .hidden(let detail):
        return try .wire([
          "event": Name.failed, "reason": HelperFailure.busy, "detail": detail,
          "hidden_reader": true,
        ])
      }
    }
  }
}
