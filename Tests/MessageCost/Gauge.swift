import Glibc

/// Measures the CPU time of this thread as a multiple of a plain reader's, and keeps the highest
/// readings.
///
/// A thread's own time does not grow while other programs run (clock_gettime(2),
/// CLOCK_THREAD_CPUTIME_ID). It does grow on a slow machine, and while another program on the same
/// core's second thread, or another guest on the same host, takes the cache. The plain reader is
/// measured at the same time, and grows with it.
final class Gauge {
  struct Reading {
    let milliseconds: Double
    /// What 64 KiB cost, as a multiple of the plain reader's time.
    ///
    /// A shorter text counts as one of that size.
    let cost: Double
    let what: String
  }

  /// The limit for 64 KiB, as a multiple of the plain reader's time.
  ///
  /// This is at most 5 ms if the plain reader takes 0.7 ms.
  static let limit = 7.0
  /// The readings that are reported.
  private static let kept = 12
  /// The first reading includes the growth of the process's memory, so a high reading is repeated,
  /// if it would be reported.
  private static let attempts = 6
  /// The CPU time that is left for more repeats of readings above the limit, in milliseconds.
  private var patience: Double
  private var plain = PlainReader()

  /// The names to measure, or empty for all.
  private static let wanted = CommandLine.arguments.dropFirst()

  private(set) var count = 0
  private(set) var worst: [Reading] = []
  /// While quarters are measured: whether one was too expensive.
  private var isSuspect: Bool?

  init(patience: Double = 20_000) { self.patience = patience }

  /// Calls `body` with a message around a quarter of a value, and with one around the whole value
  /// only if the quarter was too expensive.
  ///
  /// A reader of linear time takes a quarter of the time for it, and one of quadratic time a
  /// sixteenth. So what takes less than a sixteenth of the limit is within the limit.
  func measure(
    _ name: @autoclosure () -> String,
    _ value: Value,
    _ body: (String, [UInt8]) throws -> Void,
    around: ([UInt8]) -> [UInt8]
  ) rethrows {
    isSuspect = false
    let before = count
    try body("", around(value.quarter))
    let isExpensive = isSuspect == true
    isSuspect = nil
    guard isExpensive else { return }
    count = before
    try body(name(), around(value.whole))
  }

  /// Measures `body`, which reads this many bytes.
  func measure(_ what: @autoclosure () -> String, bytes: Int, _ body: () -> Void) {
    guard isSuspect != nil || Self.wanted.isEmpty || Self.wanted.allSatisfy(what().contains)
    else { return }
    if count % 1000 == 0 { plain.measure() }
    count += 1
    let scale = 65_536 / Double(max(bytes, 65_536))
    var least = Self.time(body)
    var cost: Double { least * scale / plain.milliseconds }
    guard isSuspect == nil else {
      if cost > Self.limit / 16 { isSuspect = true }
      return
    }
    var attempt = 0
    while cost > Self.limit / 2, isReported(cost) {
      guard attempt < Self.attempts || (cost > Self.limit && patience > 0) else { break }
      plain.measure()
      let time = Self.time(body)
      least = min(least, time)
      if attempt >= Self.attempts { patience -= time }
      attempt += 1
    }
    guard isReported(cost) else { return }
    worst.append(Reading(milliseconds: least, cost: cost, what: what()))
    worst.sort { $0.cost > $1.cost }
    if worst.count > Self.kept { worst.removeLast() }
  }

  private func isReported(_ cost: Double) -> Bool {
    worst.count < Self.kept || cost > worst[worst.count - 1].cost
  }

  var isExceeded: Bool { (worst.first?.cost ?? 0) > Self.limit }

  /// Prints the highest readings.
  func report(_ title: String) {
    print("\(title): \(count) messages; 64 KiB of the dearest take this many times a plain reader:")
    for reading in worst.prefix(isExceeded ? Self.kept : 4) {
      let (cost, time) = (Self.hundredths(reading.cost), Self.hundredths(reading.milliseconds))
      print("  \(cost) (\(time) ms of thread CPU)  \(reading.what)")
    }
  }

  private static func hundredths(_ value: Double) -> String {
    let hundredths = Int(value * 100)
    let digits = hundredths % 100
    return "\(hundredths / 100).\(digits < 10 ? "0" : "")\(digits)"
  }

  /// The CPU time of this thread that `body` takes, in milliseconds.
  static func time(_ body: () -> Void) -> Double {
    let begun = now()
    body()
    return now() - begun
  }

  private static func now() -> Double {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
  }
}
