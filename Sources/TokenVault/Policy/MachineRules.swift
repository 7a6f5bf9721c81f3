package import Configuration
internal import Storage

/// The rules of the machine's administrator, as they are at each call.
package protocol MachineRules: Sendable {
  /// The file of the policy; `nil` if there is none, so that only the defaults limit a user.
  var policyFile: String? { get }
  /// The policy.
  ///
  /// - Throws: an error with file and line. An action that needs an unreadable rule is not done:
  ///   another rule in its place might be a laxer one.
  func policy() throws(ConfigurationError) -> Policy
  /// The policy, and the file and line of each rule that is set.
  func locatedPolicy() throws(ConfigurationError) -> LocatedPolicy
  /// Whether a provider is exactly one of the machine's with these names.
  func isOfMachine(_ provider: Provider, named names: Set<ProviderName>) -> Bool
  /// Whether requests for a provider may go to this machine or to its link.
  func mayReachThisMachine(_ provider: Provider) -> Bool
}

/// The policy, and the locations of its rules, of one reading.
package struct LocatedPolicy: Sendable {
  package let policy: Policy
  /// The file and line of each rule that is set.
  package let locations: [Policy.Key: String]

  package init(_ policy: Policy, locations: [Policy.Key: String] = [:]) {
    self.policy = policy
    self.locations = locations
  }
}

/// The rules of a vault that is its user's own: no administrator sets any.
package struct NoRules: MachineRules {
  package init() {}

  package var policyFile: String? { nil }
  package func policy() throws(ConfigurationError) -> Policy { Policy() }
  package func locatedPolicy() throws(ConfigurationError) -> LocatedPolicy {
    LocatedPolicy(Policy())
  }
  package func isOfMachine(_ provider: Provider, named names: Set<ProviderName>) -> Bool { false }
  /// Always `true`: the exchange helper runs as the user, who reaches this machine anyway.
  package func mayReachThisMachine(_ provider: Provider) -> Bool { true }
}

// The effect of the rules on the vault.
extension Vault {
  /// The present policy: of the machine's rules and the user's own, the stricter ones.
  func policy() throws(VaultFailure) -> Policy {
    try machinePolicy().tightened(by: try ownRules())
  }

  /// The present policy of the machine.
  func machinePolicy() throws(VaultFailure) -> Policy {
    try readingRules { rules throws(ConfigurationError) in try rules.policy() }
  }

  /// The same with the error of the file that cannot be read.
  func readableMachinePolicy() throws(ConfigurationError) -> Policy {
    try ruleState.machine.policy()
  }

  /// The administrator's file; `nil` if there is none.
  var policyFile: String? { ruleState.machine.policyFile }

  /// Reads the administrator's rules, and turns an error into a `VaultFailure`.
  func readingRules<Value>(
    _ read: (any MachineRules) throws(ConfigurationError) -> Value
  ) throws(VaultFailure) -> Value {
    do throws(ConfigurationError) {
      return try read(ruleState.machine)
    } catch {
      throw .misconfigured(
        "\(error); until an administrator has corrected that, everything that depends on it is refused"
      )
    }
  }

  /// The terms of a connection to a provider.
  ///
  /// Whether it may lead to this machine is asked each time. If an administrator withdraws that, it
  /// ends with the next request, also for existing accounts.
  func terms(of provider: Provider) -> ExchangeTerms {
    ExchangeTerms(
      provider,
      owner: owner,
      mayReachThisMachine: ruleState.machine.mayReachThisMachine(provider)
    )
  }

  /// Demands that another account is allowed.
  func demandRoomForAccount() throws(VaultFailure) { try demandRoom(forAccounts: 1) }

  /// Demands room for new accounts.
  func demandRoom(forAccounts new: Int) throws(VaultFailure) {
    let most = try policy().accounts
    let known = try accounts().count
    guard new == 0 || known + new <= most else { throw accountLimit(most) }
    try demandRoom()
  }

  func accountLimit(_ most: Int) -> VaultFailure {
    .refused("the limit on accounts is reached: \(most)\(setting(.accounts))")
  }

  /// Demands that the store may take something new.
  ///
  /// Refreshes of existing accounts never need this: losing a token that a provider has issued
  /// would be worse than any size.
  func demandRoom() throws(VaultFailure) {
    guard policyFile != nil else { return }
    let most = try policy().store
    let size = try stored(try store.size())
    guard size < Int64(most) << 20 else {
      throw .refused(
        "the store has grown to \(most) MiB\(setting(.store)): remove accounts that are not used"
      )
    }
  }

  /// The text that names a setting and its file; empty if there is no file.
  func setting(_ key: Policy.Key) -> String {
    let location = (try? ruleState.machine.locatedPolicy())?.locations[key]
    return (location ?? policyFile).map { " (\(key.rawValue) in \($0))" } ?? ""
  }

  /// The policy in the administrator's file; `nil` if there is none, or if it cannot be read.
  func administratorPolicy() -> Policy? {
    policyFile == nil ? nil : try? readableMachinePolicy()
  }
}
