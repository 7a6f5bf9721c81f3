internal import Presence
internal import SecretMemory
internal import Synchronization
internal import System
internal import TokenVault
internal import VaultInterface

/// One enrolment in a helper process.
final class HelperEnrollment: EnrollmentConversation {
  private let helper: HelperProcess
  private let events = EventQueue<EnrollmentEvent>()
  private let isCancelled = Atomic(false)
  private let seconds: Int64

  init(finger: String, seconds: Int64) throws(Presence.PresenceOutcome) {
    self.seconds = seconds
    do throws(HelperError) {
      helper = try HelperProcess(program: HelperPresence.program)
    } catch {
      throw .notAvailable(error.reason)
    }
    do throws(SystemError) {
      try startThread { [self] in run(finger) }
    } catch {
      helper.finish(withinMilliseconds: 0)
      throw .notAvailable("\(error)")
    }
  }

  func next() async -> EnrollmentEvent { await events.next() }

  func cancel() {
    isCancelled.store(true, ordering: .releasing)
    helper.stop()
  }

  private func run(_ finger: String) {
    defer { helper.finish(withinMilliseconds: 1000) }
    var buffer = MessageBuffer(.helper)
    do throws(HelperError) {
      try helper.send(HelperEnrollCall(finger: finger, timeout: Int(seconds) * 1000), more: true)
      while true {
        let deadline = BootInstant.now.advanced(bySeconds: seconds + HelperPresence.grace)
        let (reply, _) = try helper.receive(&buffer, to: HelperEnrollCall.self, until: deadline)
        if report(reply) { return }
      }
    } catch {
      events.put(
        .failed(
          isCancelled.load(ordering: .acquiring) ? .cancelled : .notAvailable(error.reason)
        )
      )
    }
  }

  private func report(_ reply: HelperEnrollReply) -> Bool {
    switch reply.event {
    case .ready: events.put(.ready)
    case .waiting: events.put(.waiting)
    case .stage: events.put(.stage(reply.stage, of: reply.stages))
    case .retry(let hint):
      events.put(.retry(TokenVault.RetryHint(hint), stage: reply.stage, of: reply.stages))
    case .done(let print, let driver, let device):
      events.put(.done(print: print, driver: driver, device: device))
      return true
    case .failed(let reason, let detail):
      events.put(.failed(Presence.PresenceOutcome(reason, detail: detail)))
      return true
    }
    return false
  }
}
