internal import CFprint

/// Passes on at most four notices a second.
///
/// A device or an fprintd that reports bad scans without end would flood the engine and its client
/// otherwise. Of several notices within a quarter of a second the last one is passed on, at its end.
final class NoticePace<Notice> {
  private static var interval: Int64 { 250 }

  private let pass: (Notice) -> Void
  private var next: Int64 = 0
  private var pending: Notice?
  private var timer = Timer()

  init(_ pass: @escaping (Notice) -> Void) {
    self.pass = pass
  }

  /// Passes a notice on, now or a little later.
  func put(_ notice: Notice) {
    let now = boottime()
    guard now < next else {
      // A late timer would pass on a second notice of the same interval.
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

  /// Drops what was not passed on: another event says more.
  func clear() {
    timer.stop()
    pending = nil
  }
}
