import Glibc

/// Measures the CPU time of this thread, and keeps the highest readings.
///
/// A thread's own time does not grow while other programs run (clock_gettime(2),
/// CLOCK_THREAD_CPUTIME_ID).
final class Gauge {
  struct Reading {
    let milliseconds: Double
    let bytes: Int
    let what: String

    /// The cost of 64 KiB.
    ///
    /// A shorter text counts as one of that size.
    var cost: Double { milliseconds * 65_536 / Double(max(bytes, 65_536)) }
  }

  /// The limit for 64 KiB, in milliseconds.
  static let limit = 5.0
  /// The readings that are reported.
  private static let kept = 12
  /// The first reading includes the growth of the process's memory, so a high reading is repeated, if it
  /// would be reported.
  private static let attempts = 6
  /// The CPU time that is left for more repeats of readings above the limit, in milliseconds.
  ///
  /// The time of a thread grows while another program on the same core's second thread, or another
  /// guest on the same host, takes the cache. Such a spell outlasts `attempts` readings.
  private var patience = 60_000.0

  /// The names to measure, or empty for all.
  private static let wanted = CommandLine.arguments.dropFirst()

  private(set) var count = 0
  private(set) var worst: [Reading] = []

  /// Measures `body`, which reads this many bytes.
  func measure(_ what: @autoclosure () -> String, bytes: Int, _ body: () -> Void) {
    guard Self.wanted.isEmpty || Self.wanted.allSatisfy(what().contains) else { return }
    count += 1
    let scale = 65_536 / Double(max(bytes, 65_536))
    var least = Self.time(body)
    var attempt = 0
    while least * scale > Self.limit / 2, isReported(least * scale) {
      guard attempt < Self.attempts || (least * scale > Self.limit && patience > 0) else { break }
      let time = Self.time(body)
      least = min(least, time)
      if attempt >= Self.attempts { patience -= time }
      attempt += 1
    }
    guard isReported(least * scale) else { return }
    worst.append(Reading(milliseconds: least, bytes: bytes, what: what()))
    worst.sort { $0.cost > $1.cost }
    if worst.count > Self.kept { worst.removeLast() }
  }

  private func isReported(_ cost: Double) -> Bool {
    worst.count < Self.kept || cost > worst[worst.count - 1].cost
  }

  var isExceeded: Bool { (worst.first?.cost ?? 0) > Self.limit }

  /// Prints the highest readings.
  func report(_ title: String) {
    print("\(title): \(count) messages, the dearest (ms of thread CPU for 64 KiB):")
    for reading in worst.prefix(isExceeded ? Self.kept : 4) {
      let hundredths = Int(reading.cost * 100)
      let digits = hundredths % 100
      print("  \(hundredths / 100).\(digits < 10 ? "0" : "")\(digits)  \(reading.what)")
    }
  }

  private static func time(_ body: () -> Void) -> Double {
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
