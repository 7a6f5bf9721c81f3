public import JSON

/// What happens in a presence check, as the engine tells its client.
public enum CheckEvent: VarlinkRecord, Equatable {
  /// The reader waits, or another caller's check of the same thing goes on.
  case waiting
  /// The reader waits to be touched like this, by this finger if only one can match.
  case touch(finger: String?, scan: ScanType?)
  /// A password was wrong: the next one may be tried after so many seconds.
  case wait(seconds: Int)
  /// The reader could not see the finger well.
  case retry(ScanHint)
  /// A question to show; whether the answer is hidden. Answer it with `RespondCall`.
  case ask(text: String, hidden: Bool)
  /// It passed: repeat the call with the prompt.
  case passed
  /// Another prompt is armed; `free` follows when it is over.
  case queued
  /// The other prompt is over. This one is not armed: show it, and call `Check` again.
  case free

  private enum Name: String, CaseIterable, WireValue {
    case waiting
    case retry
    case ask
    case passed
    case queued
    case free
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required("event") as Name {
    case .waiting:
      let finger: String? = try object.optional("finger")
      let scan: ScanType? = try object.optional("scan")
      if let seconds: Int = try object.optional("seconds") {
        self = .wait(seconds: seconds)
      } else {
        self = finger == nil && scan == nil ? .waiting : .touch(finger: finger, scan: scan)
      }
    case .retry: self = .retry(ScanHint(name: try object.optional("hint") ?? ""))
    case .ask:
      self = .ask(text: try object.required("text"), hidden: try object.optional("hidden") ?? true)
    case .passed: self = .passed
    case .queued: self = .queued
    case .free: self = .free
    }
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      switch self {
      case .waiting: try .wire(["event": Name.waiting])
      case .touch(let finger, let scan):
        try .wire(["event": Name.waiting, "finger": finger, "scan": scan])
      case .wait(let seconds): try .wire(["event": Name.waiting, "seconds": seconds])
      case .retry(let hint): try .wire(["event": Name.retry, "hint": hint])
      case .ask(let text, let hidden):
        try .wire(["event": Name.ask, "text": text, "hidden": hidden])
      case .passed: try .wire(["event": Name.passed])
      case .queued: try .wire(["event": Name.queued])
      case .free: try .wire(["event": Name.free])
      }
    }
  }
}
