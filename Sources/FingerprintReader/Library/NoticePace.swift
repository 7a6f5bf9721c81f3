internal import CFprint

/// Passes on at most four notices a second.
///
/// Without this, a device or an fprintd that reports bad scans without limit would flood the engine
/// and its client. Of several notices within a quarter of a second, the last one is passed on at
/// the end of that time.
final class NoticePace<Notice> {
  private static var interval: Int64 { 250 }

  private let pass: (Notice) -> Void
  private var next: Int64 = 0
  private var pending: Notice?
  private var timer = Timer()

  init(_ pass: @escaping (Notice) -> Void) {
    self.pass = pass
  }

  /// Passes a notice on, at once or after a short delay.
  func put(_ notice: Notice) {
    let now = boottime()
    guard now < next else {
      // A late timer would pass on a second notice in the same interval.
      clear()
      next = now + Self.interval
      return pass(notice)
    }
    pending = notice
    guard !timer.isStarted else { return }
    timer.start(guint(clamping: next - now)) { [self] in
      timer.stop()
      guard let notice = pending else { return }
      pending = nil
      next = boottime() + Self.interval
      pass(notice)
    }
  }

  /// Drops the delayed notice, because another event supersedes it.
  func clear() {
    timer.stop()
    pending = nil
  }
}
