internal import System

/// The status line with the time that is left for an action elsewhere.
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

  /// Updates the line: each second if it can be rewritten in place, else each minute.
  mutating func show() {
    let left = max(0, deadline.seconds(since: .now))
    let step: Int64 = output.canRewriteStatus ? 1 : 60
    guard shown.map({ $0 / step != left / step }) ?? true else { return }
    shown = left
    let seconds = left % 60
    output.status("\(what), \(left / 60):\(seconds < 10 ? "0" : "")\(seconds) left")
  }

  /// Shows the line again after other output.
  mutating func again() {
    shown = nil
  }
}
