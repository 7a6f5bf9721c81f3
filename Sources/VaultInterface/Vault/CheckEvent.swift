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

  private typealias Members = CheckMembers

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required(Members.event) {
    case .waiting:
      let finger = try object.optional(Members.finger)
      let scan = try object.optional(Members.scan)
      if let seconds = try object.optional(Members.seconds) {
        self = .wait(seconds: seconds)
      } else {
        self = finger == nil && scan == nil ? .waiting : .touch(finger: finger, scan: scan)
      }
    case .retry: self = .retry(ScanHint(name: try object.optional(Members.hint) ?? ""))
    case .ask:
      self = .ask(
        text: try object.required(Members.text),
        hidden: try object.optional(Members.hidden) ?? true
      )
    case .passed: self = .passed
    case .queued: self = .queued
    case .free: self = .free
    }
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      switch self {
      case .waiting: try .wire([Members.event(.waiting)])
      case .touch(let finger, let scan):
        try .wire([Members.event(.waiting), Members.finger(finger), Members.scan(scan)])
      case .wait(let seconds): try .wire([Members.event(.waiting), Members.seconds(seconds)])
      case .retry(let hint): try .wire([Members.event(.retry), Members.hint(hint.rawValue)])
      case .ask(let text, let hidden):
        try .wire([Members.event(.ask), Members.text(text), Members.hidden(hidden)])
      case .passed: try .wire([Members.event(.passed)])
      case .queued: try .wire([Members.event(.queued)])
      case .free: try .wire([Members.event(.free)])
      }
    }
  }
}
