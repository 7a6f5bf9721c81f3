package import JSON
internal import PlainText
package import PresenceTerms
package import Varlink

/// An event of a presence check, from the helper to the engine.
package enum HelperCheckEvent: VarlinkRecord, Equatable {
  /// The reader is armed.
  case ready(ArmedReader)
  /// The reader waits for a touch.
  case waiting
  /// The scan of the finger was bad.
  case retry(ScanHint)
  /// A question to show.
  ///
  /// `hidden` says whether the answer is hidden. Answer it with `HelperRespondCall`.
  case ask(text: String, hidden: Bool)
  /// The check passed, by this finger if it was one.
  case matched(finger: String?)
  /// The finger is not enrolled, or the password is wrong.
  case notMatched
  /// There was no decision.
  case failed(PresenceOutcome, detail: String?)
  /// The reader stores its prints itself, and no longer has these.
  case lostPrints(detail: String?)
  /// The reader is in use and hidden from this process.
  ///
  /// A new process may find it.
  case hidden(detail: String?)

  private typealias Members = HelperCheckMembers

  package init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required(Members.event) {
    case .ready: self = .ready(try ArmedReader(decoding: object))
    case .waiting: self = .waiting
    case .retry: self = .retry(ScanHint(named: try object.optional(Members.hint) ?? "") ?? .general)
    case .ask:
      self = .ask(
        text: try object.required(Members.text),
        hidden: try object.optional(Members.hidden) ?? true
      )
    case .matched: self = .matched(finger: try object.optional(Members.finger))
    case .notMatched: self = .notMatched
    case .failed:
      let reason = try object.required(Members.reason)
      let detail = try object.optional(Members.detail)
      if reason == .notEnrolled, try object.optional(Members.lost) == true {
        self = .lostPrints(detail: detail)
      } else if reason == .busy, try object.optional(Members.hiddenReader) == true {
        self = .hidden(detail: detail)
      } else {
        self = .failed(reason, detail: detail)
      }
    }
  }

  package var encoded: JSONObject {
    get throws(MessageError) { try .wire(members) }
  }

  private var members: [WireMember] {
    switch self {
    case .ready(let reader): [Members.event(.ready)] + reader.members
    case .waiting: [Members.event(.waiting)]
    case .retry(let hint): [Members.event(.retry), Members.hint(hint.rawValue)]
    case .ask(let text, let hidden):
      [Members.event(.ask), Members.text(text), Members.hidden(hidden)]
    case .matched(let finger): [Members.event(.matched), Members.finger(finger)]
    case .notMatched: [Members.event(.notMatched)]
    case .failed(let reason, let detail): Self.failed(reason, detail)
    case .lostPrints(let detail): Self.failed(.notEnrolled, detail) + [Members.lost(true)]
    case .hidden(let detail): Self.failed(.busy, detail) + [Members.hiddenReader(true)]
    }
  }

  private static func failed(_ reason: PresenceOutcome, _ detail: String?) -> [WireMember] {
    [Members.event(.failed), Members.reason(reason), Members.detail(detail)]
  }
}
