package import System

/// The time limit of a wait for a message.
package struct BusLimit: Sendable {
  private var deadline: BootInstant
  private let grace: Int
  /// The watched descriptor; -1 for none.
  private(set) var interrupt: Int32
  private(set) var wasInterrupted = false

  /// Makes a limit that ends at a moment, or as soon as the descriptor `interrupt` is readable.
  ///
  /// A call waits for its answer `grace` milliseconds longer than the interrupt, because the answer
  /// decides what must be undone.
  package init(
    until deadline: BootInstant = BootInstant(nanoseconds: .max),
    interrupt: Int32 = -1,
    grace: Int = 0
  ) {
    self.deadline = deadline
    self.interrupt = interrupt
    self.grace = grace
  }

  /// The same for a number of milliseconds from now.
  package init(milliseconds: Int, interrupt: Int32 = -1, grace: Int = 0) {
    self.init(until: .now(plus: milliseconds), interrupt: interrupt, grace: grace)
  }

  /// Milliseconds until the end, in poll(2)'s form: rounded up, and -1 without an end.
  var timeLeft: Int32 {
    guard deadline.nanoseconds < .max else { return -1 }
    let left = deadline.nanoseconds - BootInstant.now.nanoseconds
    return Int32(clamping: (max(0, left) + 999_999) / 1_000_000)
  }

  /// Whether the time limit has passed.
  package var isOver: Bool { deadline <= BootInstant.now }

  /// Notes that the descriptor is readable, and no longer watches it.
  mutating func noteInterrupt() {
    wasInterrupted = true
    interrupt = -1
    deadline = min(deadline, .now(plus: grace))
  }
}

extension BootInstant {
  /// The moment a number of milliseconds from now.
  package static func now(plus milliseconds: Int) -> BootInstant {
    .now.advanced(byMilliseconds: milliseconds)
  }

  /// This instant moved by a number of milliseconds, clamped to the range of the type.
  package func advanced(byMilliseconds milliseconds: Int) -> BootInstant {
    let (sum, isTooFar) = nanoseconds.addingReportingOverflow(Int64(milliseconds) * 1_000_000)
    return BootInstant(nanoseconds: isTooFar ? .max : sum)
  }
}
