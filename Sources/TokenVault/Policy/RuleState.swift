internal import Configuration

/// What the vault remembers of the rules: the user's own, and what callers got under one.
struct RuleState {
  /// The user's own rules that were parsed last; `nil` if they may have changed.
  private(set) var own: UserRules?
  /// How many tokens the callers under each rule got.
  var rates = CallerRates()

  mutating func keep(_ rules: UserRules) { own = rules }

  mutating func forgetOwn() { own = nil }
}
