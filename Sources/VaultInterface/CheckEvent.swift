public import JSON
public import Varlink

/// An event of a presence check, from the engine to its client.
public enum CheckEvent: VarlinkRecord, Equatable {
  /// The reader waits, or another caller's check for the same action continues.
  case waiting
  /// The reader waits for such a touch, by this finger if only one can match.
  case touch(finger: String?, scan: ScanType?)
  /// A password was wrong.
  ///
  /// The next one may be tried after so many seconds.
  case wait(seconds: Int)
  /// The scan of the finger was bad.
  case retry(ScanHint)
  /// A question to show.
  ///
  /// `hidden` says whether the answer is hidden. Answer it with `RespondCall`.
  case ask(text: String, hidden: Bool)
  /// The check passed.
  ///
  /// Repeat the call with the prompt.
  case passed
  /// Another prompt is armed.
  ///
  /// `free` follows when that one is over.
  case queued
  /// The other prompt is over.
  ///
  /// This prompt is not armed: show it, and call `Check` again.
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
