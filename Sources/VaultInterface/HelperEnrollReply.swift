public import JSON
public import SecretMemory

/// How an enrolment goes, as the helper tells the engine.
public struct HelperEnrollReply: VarlinkRecord {
  /// What happened.
  public enum Event: Sendable {
    /// The reader is armed.
    case ready(ArmedReader)
    /// The reader waits for a touch.
    case waiting
    /// One more touch is done.
    case stage
    /// The last touch does not count.
    case retry(ScanHint)
    /// A loaded former print, by its place among those, is not on the reader any longer.
    case removed(Int)
    /// The finger is enrolled: its print, and the driver and device that know it.
    case done(print: SharedSecret, driver: String, device: String)
    /// It was given up.
    case failed(HelperFailure, detail: String?)
    /// The reader is in use, and hidden from this process; a new one may find it.
    case hidden(detail: String?)
  }

  private enum Name: String, CaseIterable, WireValue {
    case ready
    case waiting
    case stage
    case retry
    case removed
    case done
    case failed
  }

  /// What happened.
  public var event: Event
  /// How many touches are done.
  public var stage: Int
  /// How many touches there are.
  public var stages: Int

  /// Of these parts.
  public init(event: Event, stage: Int, stages: Int) {
    self.event = event
    self.stage = stage
    self.stages = stages
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    switch try object.required("event") as Name {
    case .ready: event = .ready(try ArmedReader(decoding: object))
    case .waiting: event = .waiting
    case .stage: event = .stage
    case .retry: event = .retry(ScanHint(name: try object.optional("hint") ?? ""))
    case .removed: event = .removed(try object.required("place"))
    case .done:
      let print: WireSecret = try object.required("print")
      event = .done(
        print: print.secret,
        driver: try object.required("driver"),
        device: try object.required("device")
      )
    case .failed:
      let reason: HelperFailure = try object.required("reason")
      let detail: String? = try object.optional("detail")
      let isHidden = try object.optional("hidden_reader") == true
      event =
        reason == .busy && isHidden
        ? .hidden(detail: detail) : .failed(reason, detail: detail)
    }
    stage = try object.required("stage")
    stages = try object.required("stages")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      var object: JSONObject =
        switch event {
        case .ready: try .wire(["event": Name.ready])
        case .removed(let place): try .wire(["event": Name.removed, "place": place])
        case .waiting: try .wire(["event": Name.waiting])
        case .stage: try .wire(["event": Name.stage])
        case .retry(let hint): try .wire(["event": Name.retry, "hint": hint])
        case .done(let print, let driver, let device):
          try .wire([
            "event": Name.done, "print": WireSecret(secret: print), "driver": driver,
            "device": device,
          ])
        case .failed(let reason, let detail):
          try .wire(["event": Name.failed, "reason": reason, "detail": detail])
        case .hidden(let detail):
          try .wire([
            "event": Name.failed, "reason": HelperFailure.busy, "detail": detail,
            "hidden_reader": true,
          ])
        }
      if case .ready(let reader) = event { reader.write(to: &object) }
      object["stage"] = stage.wire
      object["stages"] = stages.wire
      return object
    }
  }
}
