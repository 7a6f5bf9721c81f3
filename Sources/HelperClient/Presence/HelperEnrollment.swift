internal import HelperInterface
internal import PresenceTerms
internal import System
internal import TokenVault
internal import Varlink

struct HelperEnrollment: EnrollmentConversation {
  /// How long the engine may take to store a print, in seconds, before the reader deletes it.
  private static let keepTime: Int64 = 15

  private let conversation: HelperConversation<EnrollmentEvent>

  init(
    _ request: EnrollmentRequest,
    by route: HelperRoute,
    turn: ReaderTurn
  ) throws(PresenceFailure) {
    conversation = try HelperConversation(by: route, turn: turn) {
      conversation,
      put throws(HelperError) in
      var pauses = HelperPresence.pauses[...]
      while true {
        let hidden = try Self.talk(conversation.helper, request, put)
        guard let hidden else { return }
        guard let pause = pauses.popFirst() else { return put(.failed(.busy(hidden))) }
        put(.waiting)
        try conversation.restart(after: pause)
      }
    }
  }

  func next() async -> EnrollmentEvent { await conversation.next() }

  func keep() {
    // If the engine dies before this, it has not stored the print either.
    try? conversation.helper.send(HelperKeepCall())
  }

  func cancel() { conversation.cancel() }

  /// Passes events on until the last one.
  ///
  /// - Returns: why the reader is hidden from this helper; `nil` if the last event was passed on.
  private static func talk(
    _ helper: HelperLink,
    _ request: EnrollmentRequest,
    _ put: (EnrollmentEvent) -> Void
  ) throws(HelperError) -> String? {
    var buffer = MessageBuffer(.helper)
    try load(request.own, false, helper, &buffer)
    try load(request.former, true, helper, &buffer)
    let call = HelperEnrollCall(
      finger: request.finger,
      timeout: Int(request.seconds) * 1000,
      keep: true
    )
    try helper.send(call, more: true)
    for _ in 0..<HelperPresence.mostEvents {
      let deadline = BootInstant.now.advanced(bySeconds: request.seconds + HelperPresence.grace)
      let (reply, _) = try helper.receive(&buffer, to: HelperEnrollCall.self, until: deadline)
      switch reply.event {
      case .failed(.busy, let detail, hiddenReader: true):
        return detail ?? "reader busy: another program has it"
      case .ready(let name, let driver, let scan):
        if let seen = SeenReader(name: name, driver: driver, scan: scan) { put(.reader(seen)) }
        put(.ready)
      default:
        let event = EnrollmentEvent(reply)
        put(event)
        guard event.isLast else { continue }
        guard case .done = event else { return nil }
        // A print that is not kept by then is deleted on the reader when the socket closes.
        let end = BootInstant.now.advanced(bySeconds: keepTime)
        _ = try? helper.receive(&buffer, to: HelperKeepCall.self, until: end)
        return nil
      }
    }
    throw .malformed
  }

  private static func load(
    _ prints: [LoadedPrint],
    _ former: Bool,
    _ helper: HelperLink,
    _ buffer: inout MessageBuffer
  ) throws(HelperError) {
    for print in prints {
      try helper.send(LoadPrintCall(finger: print.finger, print: print.print, former: former))
      let end = BootInstant.now.advanced(bySeconds: HelperPresence.grace)
      _ = try helper.receive(&buffer, to: LoadPrintCall.self, until: end)
    }
  }
}

extension EnrollmentEvent: ConversationEvent {
  static var lift: EnrollmentEvent { .retry(.removeFinger, stage: 0, of: 0) }

  static func broken(_ error: HelperError, wasCancelled: Bool) -> EnrollmentEvent {
    .failed(wasCancelled ? .cancelled : .notAvailable(error.reason))
  }

  var isLast: Bool {
    switch self {
    case .done, .failed: true
    case .reader, .removed, .ready, .waiting, .stage, .retry: false
    }
  }
}

extension EnrollmentEvent {
  fileprivate init(_ reply: HelperEnrollReply) {
    switch reply.event {
    case .ready: self = .ready
    case .waiting: self = .waiting
    case .stage: self = .stage(reply.stage, of: reply.stages)
    case .retry(let hint): self = .retry(hint, stage: reply.stage, of: reply.stages)
    case .removed(let place): self = .removed(place)
    case .done(let print, let driver, let device):
      self = .done(print: print, driver: driver, device: device)
    case .failed(let reason, let detail, _):
      self = .failed(PresenceFailure(helper: reason, detail: detail))
    }
  }
}
