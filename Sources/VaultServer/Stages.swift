internal import Synchronization
internal import TokenVault
internal import VaultInterface

/// How far an enrolment is, so that each reply can say it.
final class Stages: Sendable {
  private let state = Mutex((stage: 0, of: 0))

  /// The stages that are done, and all of them.
  var last: (stage: Int, of: Int) { state.withLock { $0 } }

  /// What a client is told of an event; nil for the last one, which the call itself answers.
  func reply(to event: EnrollmentEvent, _ finger: String) -> VarlinkReply? {
    let wire: EnrollEvent
    var advice: ScanHint?
    switch event {
    case .ready, .waiting: wire = .waiting
    case .stage(let stage, let of):
      state.withLock { $0 = (stage, of) }
      wire = .stage
    case .retry(let hint, let stage, let of):
      state.withLock { $0 = (stage, of) }
      wire = .retry
      advice = ScanHint(hint)
    case .done, .failed: return nil
    }
    let (stage, of) = last
    return try? VarlinkReply(
      EnrollFingerReply(
        event: wire,
        finger: finger,
        stage: stage,
        stages: of,
        hint: advice
      ),
      continues: true
    )
  }
}
