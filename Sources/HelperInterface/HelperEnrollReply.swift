package import JSON
internal import PlainText
package import PresenceTerms
package import SecretMemory
package import Varlink

/// The progress of an enrollment, from the helper to the engine.
package struct HelperEnrollReply: VarlinkRecord {
  package enum Event: Sendable {
    /// The reader is armed.
    case ready(ArmedReader)
    /// The reader waits for a touch.
    case waiting
    /// One more touch is done.
    case stage
    /// The last touch does not count.
    case retry(ScanHint)
    /// A loaded earlier print is no longer on the reader.
    ///
    /// The value is its index among those prints.
    case removed(Int)
    /// The finger is enrolled.
    ///
    /// The values are its print, and the driver and device that know it.
    case done(print: SharedSecret, driver: String, device: String)
    /// The enrollment ended without a print.
    case failed(PresenceOutcome, detail: String?)
    /// The reader is in use and hidden from this process.
    ///
    /// A new process may find it.
    case hidden(detail: String?)
  }

  private typealias Members = HelperEnrollMembers

  package var event: Event
  /// How many touches are done.
  package var stage: Int
  /// How many touches are needed.
  package var stages: Int

  package init(event: Event, stage: Int, stages: Int) {
    self.event = event
    self.stage = stage
    self.stages = stages
  }

  package init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required(Members.event) {
    case .ready: event = .ready(try ArmedReader(decoding: object))
    case .waiting: event = .waiting
    case .stage: event = .stage
    case .retry:
      event = .retry(ScanHint(named: try object.optional(Members.hint) ?? "") ?? .general)
    case .removed: event = .removed(try object.required(Members.place))
    case .done:
      event = .done(
        print: try object.required(Members.print).secret,
        driver: try object.required(Members.driver),
        device: try object.required(Members.device)
      )
    case .failed:
      let reason = try object.required(Members.reason)
      let detail = try object.optional(Members.detail)
      let isHidden = try object.optional(Members.hiddenReader) == true
      event =
        reason == .busy && isHidden
        ? .hidden(detail: detail) : .failed(reason, detail: detail)
    }
    stage = try object.required(Members.stage)
    stages = try object.required(Members.stages)
  }

  package var encoded: JSONObject {
    get throws(MessageError) {
      try .wire(members + [Members.stage(stage), Members.stages(stages)])
    }
  }

  private var members: [WireMember] {
    switch event {
    case .ready(let reader): [Members.event(.ready)] + reader.members
    case .removed(let place): [Members.event(.removed), Members.place(place)]
    case .waiting: [Members.event(.waiting)]
    case .stage: [Members.event(.stage)]
    case .retry(let hint): [Members.event(.retry), Members.hint(hint.rawValue)]
    case .done(let print, let driver, let device):
      [
        Members.event(.done), Members.print(WireSecret(secret: print)), Members.driver(driver),
        Members.device(device),
      ]
    case .failed(let reason, let detail): Self.failed(reason, detail)
    case .hidden(let detail): Self.failed(.busy, detail) + [Members.hiddenReader(true)]
    }
  }

  private static func failed(_ reason: PresenceOutcome, _ detail: String?) -> [WireMember] {
    [Members.event(.failed), Members.reason(reason), Members.detail(detail)]
  }
}
