internal import System

/// The line that tells how long somebody is still awaited elsewhere.
struct Countdown {
  private let output: Output
  private let what: String
  private let deadline: BootInstant
  private var shown: Int64?

  /// Counts down to a deadline.
  init(_ what: String, until deadline: BootInstant, on output: Output) {
    self.what = what
    self.deadline = deadline
    self.output = output
  }

  /// Brings the line up to date: each second where it is rewritten in place, else each minute.
  mutating func show() {
    let left = max(0, deadline.seconds(since: .now))
    let step: Int64 = output.canRewriteStatus ? 1 : 60
    guard shown.map({ $0 / step != left / step }) ?? true else { return }
    shown = left
    let seconds = left % 60
    output.status("\(what), \(left / 60):\(seconds < 10 ? "0" : "")\(seconds) left")
  }

  /// Shows it anew, after something else was said.
  mutating func again() {
    shown = nil
  }
}
