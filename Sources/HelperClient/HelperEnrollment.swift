internal import Presence
internal import System
internal import TokenVault
internal import VaultInterface

/// One enrolment in a helper process.
struct HelperEnrollment: EnrollmentConversation {
  private let conversation: HelperConversation<EnrollmentEvent>

  init(finger: String, seconds: Int64, by route: HelperRoute) throws(Presence.PresenceOutcome) {
    conversation = try HelperConversation(by: route) { helper, put throws(HelperError) in
      var buffer = MessageBuffer(.helper)
      try helper.send(HelperEnrollCall(finger: finger, timeout: Int(seconds) * 1000), more: true)
      while true {
        let deadline = BootInstant.now.advanced(bySeconds: seconds + HelperPresence.grace)
        let (reply, _) = try helper.receive(&buffer, to: HelperEnrollCall.self, until: deadline)
        let event = EnrollmentEvent(reply)
        put(event)
        if event.isLast { return }
      }
    }
  }

  func next() async -> EnrollmentEvent { await conversation.next() }

  func cancel() { conversation.cancel() }
}

extension EnrollmentEvent: ConversationEvent {
  static func broken(_ error: HelperError, wasCancelled: Bool) -> EnrollmentEvent {
    .failed(wasCancelled ? .cancelled : .notAvailable(error.reason))
  }
}

extension EnrollmentEvent {
  fileprivate init(_ reply: HelperEnrollReply) {
    switch reply.event {
    case .ready: self = .ready
    case .waiting: self = .waiting
    case .stage: self = .stage(reply.stage, of: reply.stages)
    case .retry(let hint):
      self = .retry(TokenVault.RetryHint(hint), stage: reply.stage, of: reply.stages)
    case .done(let print, let driver, let device):
      self = .done(print: print, driver: driver, device: device)
    case .failed(let reason, let detail):
      self = .failed(Presence.PresenceOutcome(reason, detail: detail))
    }
  }

  fileprivate var isLast: Bool {
    switch self {
    case .done, .failed: true
    case .ready, .waiting, .stage, .retry: false
    }
  }
}
