import Glibc

/// Measures the CPU time that this thread takes, and keeps what took the most.
///
/// A thread's own time does not grow while other programs run (clock_gettime(2),
/// CLOCK_THREAD_CPUTIME_ID).
final class Gauge {
  struct Reading {
    let milliseconds: Double
    let bytes: Int
    let what: String

    /// For 64 KiB; a shorter text counts as one of that size.
    var cost: Double { milliseconds * 65_536 / Double(max(bytes, 65_536)) }
  }

  /// The most that 64 KiB may cost, in milliseconds.
  static let limit = 5.0
  /// The first reading holds what the memory of the process had to grow by: a high one is repeated.
  private static let attempts = 6

  /// Only what is called so is measured; empty: all.
  private static let wanted = CommandLine.arguments.dropFirst()

  private(set) var count = 0
  private(set) var worst: [Reading] = []

  /// Measures `body`, which reads so many bytes.
  func measure(_ what: @autoclosure () -> String, bytes: Int, _ body: () -> Void) {
    guard Self.wanted.isEmpty || Self.wanted.allSatisfy(what().contains) else { return }
    count += 1
    var least = Self.time(body)
    var left = Self.attempts
    while left > 0, least * 65_536 / Double(max(bytes, 65_536)) > Self.limit / 2 {
      least = min(least, Self.time(body))
      left -= 1
    }
    guard worst.count < 12 || least > worst[worst.count - 1].milliseconds else { return }
    worst.append(Reading(milliseconds: least, bytes: bytes, what: what()))
    worst.sort { $0.cost > $1.cost }
    if worst.count > 12 { worst.removeLast() }
  }

  var isExceeded: Bool { (worst.first?.cost ?? 0) > Self.limit }

  /// Prints the readings that were the highest.
  func report(_ title: String) {
    print("\(title): \(count) messages, the dearest (ms of thread CPU for 64 KiB):")
    for reading in worst.prefix(isExceeded ? 12 : 4) {
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
