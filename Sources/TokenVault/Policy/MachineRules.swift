public import Configuration
internal import Storage

/// What the administrator of the machine has laid down, as it stands when it is asked for.
public protocol MachineRules: Sendable {
  /// Where the policy stands; nil: nowhere, and nothing but the defaults limits anybody.
  var policyFile: String? { get }
  /// The policy.
  ///
  /// - Throws: an error with file and line. What needs a rule that cannot be read is not done:
  ///   another rule in its place might be a laxer one.
  func policy() throws(ConfigurationError) -> Policy
  /// Whether requests for a provider may go to this machine or to its link.
  func mayReachThisMachine(_ provider: Provider) -> Bool
}

/// The rules of a vault that is its user's own: nobody else lays down any.
public struct NoRules: MachineRules {
  /// No rules.
  public init() {}

  /// Nowhere.
  public var policyFile: String? { nil }
  /// The defaults.
  public func policy() throws(ConfigurationError) -> Policy { Policy() }
  /// The courier runs as the user, who reaches this machine anyway.
  public func mayReachThisMachine(_ provider: Provider) -> Bool { true }
}

// What the rules mean for the vault.
extension Vault {
  /// The policy as it holds now: of the machine's rules and the user's own the stricter ones.
  func policy() throws(VaultFailure) -> Policy {
    try machinePolicy().tightened(by: try ownRules())
  }

  /// What the machine lays down now.
  func machinePolicy() throws(VaultFailure) -> Policy {
    do throws(ConfigurationError) {
      return try rules.policy()
    } catch {
      throw .misconfigured(
        "\(error); until an administrator has corrected that, nothing is done that it decides about"
      )
    }
  }

  /// How a connection to a provider is made.
  ///
  /// Whether it may lead to this machine is asked each time: what an administrator takes away is
  /// gone with the next request, for accounts that are there as well.
  func terms(of provider: Provider) -> ExchangeTerms {
    ExchangeTerms(
      provider,
      owner: owner,
      mayReachThisMachine: rules.mayReachThisMachine(provider)
    )
  }

  /// Demands that there may be another account.
  func demandRoomForAccount() throws(VaultFailure) {
    let most = try policy().accounts
    guard try accounts().count < most else {
      throw .refused("there are as many accounts as there may be: \(most)\(setting("accounts"))")
    }
    try demandRoom()
  }

  /// Demands that the store may take something new.
  ///
  /// Refreshes of what is there are never kept from it: to lose a token that a provider has given
  /// would be worse than any size.
  func demandRoom() throws(VaultFailure) {
    guard rules.policyFile != nil else { return }
    let most = try policy().store
    let size = try stored { () throws(StorageError) in try self.store.size() }
    guard size < Int64(most) << 20 else {
      throw .refused(
        "the store has grown to \(most) MiB\(setting("store")): remove accounts that are not used"
      )
    }
  }

  /// Names a setting, where there is a file that it can stand in.
  func setting(_ key: String) -> String {
    rules.policyFile.map { " (\(key) in \($0))" } ?? ""
  }

  /// How much of the trail may be kept: half of the store at most.
  func trailLimitsNow() -> TrailLimits {
    guard rules.policyFile != nil, let policy = try? rules.policy() else { return trailLimits }
    return TrailLimits(
      seconds: trailLimits.seconds,
      records: trailLimits.records,
      bytes: Int64(policy.store) << 19
    )
  }
}
