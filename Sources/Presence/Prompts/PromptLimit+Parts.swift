internal import System

// The measures of the limit, and what they count.
extension PromptLimit {
  /// A token bucket: the burst, and the seconds for one more.
  package struct Measure: Sendable {
    /// The most at once.
    package let burst: Int64
    /// The seconds for each further one.
    package let seconds: Int64

    /// Makes a measure of these parts.
    package init(burst: Int64, seconds: Int64) {
      self.burst = burst
      self.seconds = seconds
    }
  }

  /// A token bucket, stored as the moment when it is full again.
  struct Bucket {
    var isFullFrom = BootInstant(nanoseconds: 0)

    /// Nanoseconds until a token is available.
    func wait(_ measure: Measure, at now: BootInstant) -> Int64 {
      let missing = max(0, isFullFrom.nanoseconds - now.nanoseconds)
      return max(0, missing - (measure.burst - 1) * measure.seconds * 1_000_000_000)
    }

    mutating func take(_ measure: Measure, at now: BootInstant) {
      isFullFrom = max(isFullFrom, now).advanced(bySeconds: measure.seconds)
    }

    mutating func giveBack(_ measure: Measure) {
      isFullFrom = isFullFrom.advanced(bySeconds: -measure.seconds)
    }

    /// Gives back what was taken, except for 1/`parts` of it.
    mutating func giveBack(_ measure: Measure, exceptOneOf parts: Int64) {
      let back = measure.seconds * 1_000_000_000 / parts * (parts - 1)
      isFullFrom = BootInstant(nanoseconds: isFullFrom.nanoseconds - back)
    }
  }

  /// The callers that share a limit.
  struct Party: Hashable {
    let user: UInt32
    let isBehindSocket: Bool

    init(_ question: PromptQuestion) {
      user = question.user
      isBehindSocket = question.socket != nil
    }
  }
}
