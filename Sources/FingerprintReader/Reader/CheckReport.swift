/// Passes on the events of a check, on the reader's thread.
final class CheckReport: @unchecked Sendable {
  private weak var tries: ReaderTries<Verdict>?
  private let report: (CheckEvent) -> Void
  private let pace: NoticePace<CheckEvent>
  private var lastReady: CheckEvent?

  init(_ tries: ReaderTries<Verdict>, _ report: @escaping (CheckEvent) -> Void) {
    self.tries = tries
    self.report = report
    pace = NoticePace(report)
  }

  func hear(_ event: CheckEvent) {
    guard case .ready = event else { return pace.put(event) }
    tries?.wasArmed = true
    // The reader is armed again after a bad scan, which is nothing new for the caller.
    if event != lastReady { report(event) }
    lastReady = event
  }

  /// Drops the delayed event, because another one supersedes it.
  func clear() { pace.clear() }
}
