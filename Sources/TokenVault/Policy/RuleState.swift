internal import Configuration

/// The rules of the vault: the administrator's, the user's own, and what callers got under one.
struct RuleState {
  /// The rules of the machine's administrator.
  let machine: any MachineRules
  /// The user's own rules that were parsed last; `nil` if they may have changed.
  private(set) var own: UserRules?
  /// How many tokens the callers under each rule got.
  var rates = CallerRates()

  init(machine: any MachineRules) { self.machine = machine }

  mutating func keep(_ rules: UserRules) { own = rules }

  mutating func forgetOwn() { own = nil }
}
