internal import PresenceTerms
internal import Synchronization
internal import TokenVault
internal import VaultInterface

/// The progress of an enrollment, so that each reply can state it.
final class Stages: Sendable {
  private struct State {
    var stage = 0
    var of = 0
    var scan: ScanType?
  }

  private let state = Mutex(State())

  /// The stages that are done, and the total.
  var last: (stage: Int, of: Int) { state.withLock { ($0.stage, $0.of) } }

  /// The reply for an event; `nil` for the last event, which the call itself answers.
  func reply(to event: EnrollmentEvent, _ finger: String) -> EnrollFingerReply? {
    let wire: EnrollEvent
    var advice: ScanHint?
    switch event {
    case .reader(let reader):
      state.withLock { $0.scan = reader.scan }
      return nil
    case .removed: return nil
    case .ready, .waiting: wire = .waiting
    case .stage(let stage, let of):
      note(stage, of)
      wire = .stage
    case .retry(let hint, let stage, let of):
      if of > 0 { note(stage, of) }
      wire = .retry
      advice = hint
    case .done, .failed: return nil
    }
    let (stage, of) = last
    return EnrollFingerReply(
      event: wire,
      finger: finger,
      stage: stage,
      stages: of,
      hint: advice,
      scan: state.withLock { $0.scan }
    )
  }

  private func note(_ stage: Int, _ of: Int) {
    state.withLock { state in
      state.stage = stage
      state.of = of
    }
  }
}
