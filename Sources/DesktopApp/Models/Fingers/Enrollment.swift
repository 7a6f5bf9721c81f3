internal import GTK
internal import PresenceTerms
internal import VaultInterface

/// An enrollment on the screen, stage by stage.
struct Enrollment: Equatable {
  let finger: String
  private(set) var done = 0
  /// How many touches there are; 0 if that is not known.
  private(set) var stages = 0
  /// What the person is to do.
  private(set) var notice = tr("Waiting for your system password.")
  /// Whether the last scan was bad.
  private(set) var isBad = false
  private var hasScanned = false

  init(finger: String) {
    self.finger = finger
  }

  /// The filled share of the ring.
  var share: Double { stages > 0 ? Double(done) / Double(stages) : 0 }

  /// The same in words; empty if the number of touches is not known.
  var count: String {
    guard stages > 0 else { return "" }
    return ntr("%s of %d touch", "%s of %d touches", stages, "\(done)")
  }

  /// Takes the next reply of the engine.
  mutating func take(_ reply: EnrollFingerReply) {
    stages = (1...50).contains(reply.stages) ? reply.stages : 0
    done = min(max(0, reply.stage), stages)
    let scan = reply.scan ?? .press
    switch reply.event {
    case .waiting where hasScanned: break
    case .waiting:
      notice = ScanWords.enrollment(reply.finger, stages: stages, scan)
    case .stage: notice = ScanWords.nextStage(scan, isLast: stages > 0 && done == stages)
    case .retry: notice = ScanWords.advice(reply.hint, scan)
    case .done: notice = ""
    }
    guard reply.event != .waiting else { return }
    isBad = reply.event == .retry
    hasScanned = true
  }
}
