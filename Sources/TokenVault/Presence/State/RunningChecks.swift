internal import Presence
internal import PresenceTerms
internal import System

/// The checks that run, by the prompts that they run for.
struct RunningChecks {
  private var runs: [String: CheckRun] = [:]
  /// The number of the last try.
  private var last: UInt64 = 0
  /// The finger that is asked for next if the reader takes one print at a time.
  private(set) var nextFinger: String?

  var isEmpty: Bool { runs.isEmpty }

  /// The prompts that have a check.
  var prompts: [String] { Array(runs.keys) }

  func run(of prompt: String) -> CheckRun? { runs[prompt] }

  /// Whether a check is the one that runs for its prompt, and not an earlier one.
  func isCurrent(_ run: CheckRun, of prompt: String) -> Bool { runs[prompt]?.number == run.number }

  /// Begins a check by several methods, of which the first is charged.
  mutating func begin(
    _ prompt: String,
    _ question: PromptQuestion?,
    _ methods: [PresenceMethod]
  ) -> CheckRun {
    last += 1
    var run = CheckRun(number: last, question: question, method: methods.first ?? .fallback)
    run.isRaced = methods.count > 1
    runs[prompt] = run
    return run
  }

  /// Keeps the state of a check.
  mutating func keep(_ run: CheckRun, of prompt: String) { runs[prompt] = run }

  /// Gives a run another number, so that the cost of its earlier try is settled by itself.
  mutating func renumber(_ run: inout CheckRun, of prompt: String) {
    let isRunning = isCurrent(run, of: prompt)
    last += 1
    run.number = last
    if isRunning { runs[prompt] = run }
  }

  /// Keeps which program must answer an open question; `nil` if none is open.
  mutating func noteAsked(_ program: Peer?, for prompt: String) { runs[prompt]?.asked = program }

  /// Keeps the back-off before and after the charge of a password.
  mutating func noteCharge(
    from before: PasswordBackoff,
    to after: PasswordBackoff,
    of prompt: String
  ) {
    runs[prompt]?.backoffBefore = before
    runs[prompt]?.backoffCharged = after
  }

  /// Ends a check whose result is known.
  mutating func end(of prompt: String) { runs[prompt] = nil }

  /// Ends a check, and cancels its helpers.
  mutating func cancel(of prompt: String) { runs.removeValue(forKey: prompt)?.race?.cancel() }

  /// A reader that compares one print at a time gets the print of another finger after a miss, and
  /// the same print after a match.
  mutating func turnFingers(
    _ run: CheckRun,
    after event: CheckEvent,
    by method: PresenceMethod
  ) {
    guard !run.fingers.isEmpty, method == run.method else { return }
    guard let only = run.only, let index = run.fingers.firstIndex(of: only) else {
      if run.isArmed { nextFinger = nil }
      return
    }
    switch event {
    case _ where event.isMiss: nextFinger = run.fingers[(index + 1) % run.fingers.count]
    case .matched: nextFinger = only
    default: break
    }
  }
}
