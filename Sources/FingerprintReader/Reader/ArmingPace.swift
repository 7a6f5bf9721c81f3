internal import CFprint

/// Keeps a reader that reports without end from being armed without end.
struct ArmingPace {
  /// The time between two starts, in milliseconds.
  static let interval: Int64 = 200

  /// How many starts in a row may come sooner.
  private let burst: Int
  private var last: Int64 = 0
  private var early = 0
  private var timer = Timer()

  init(burst: Int) {
    self.burst = burst
  }

  /// Whether a start is put off.
  var isWaiting: Bool { timer.isStarted }

  /// How long the next start is put off, in milliseconds; 0 if it counts as begun now.
  mutating func delay() -> Int64 {
    let now = boottime()
    let delay = max(0, last + Self.interval - now)
    early = delay > 0 ? early + 1 : 0
    guard delay > 0, early > burst else {
      last = now
      return 0
    }
    last = now + delay
    return delay
  }

  /// Does something after so many milliseconds.
  mutating func wait(_ milliseconds: Int64, then body: @escaping () -> Void) {
    timer.start(guint(clamping: milliseconds), body)
  }

  /// Puts nothing off any longer.
  mutating func stop() { timer.stop() }
}
