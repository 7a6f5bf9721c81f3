internal import CFprint

/// Limits how often a reader is armed, for a reader that reports without limit.
struct ArmingPace {
  /// The least time between two starts, in milliseconds.
  static let interval: Int64 = 200

  /// The number of starts in a row that may come sooner.
  private let burst: Int
  private var last: Int64 = 0
  private var early = 0
  private var timer = Timer()

  init(burst: Int) {
    self.burst = burst
  }

  /// Whether a start is delayed.
  var isWaiting: Bool { timer.isStarted }

  /// The delay of the next start in milliseconds; 0 if it starts now.
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

  /// Calls `body` after a number of milliseconds.
  mutating func wait(_ milliseconds: Int64, then body: @escaping () -> Void) {
    timer.start(guint(clamping: milliseconds), body)
  }

  /// Cancels the delayed call.
  mutating func stop() { timer.stop() }
}
