public import Configuration
internal import PlainText
internal import Presence
internal import Storage

/// A rule of the policy.
public struct RuleFacts: Sendable, Equatable {
  /// Which one.
  public let key: Policy.Key
  /// What the machine lays down, or the default.
  public let machine: String
  /// What the user has laid down; nil: nothing.
  public let own: String?
  /// What holds: the stricter; nil: the rule has no effect in this vault.
  public let holds: String?
}

/// The policy as it holds for one user.
public struct PolicyFacts: Sendable, Equatable {
  /// Where the machine's rules stand; nil: nowhere, and they are the defaults.
  public let file: String?
  /// Each rule.
  public let rules: [RuleFacts]
}

// A user may tighten what the administrator lays down. The service cannot read the user's home, so the
// user's own rules stand in the user's vault; whoever takes them away there, or puts a store of before
// back, changes what the rollback count and its seal vouch for (BoxSeal.swift).
//
// Which of two rules is the stricter is decided each time: the machine's file may change any day.
extension Vault {
  /// The key of the user's own rules in the store.
  static let ownRulesKey = "own-rules"

  /// What the user has laid down.
  func ownRules() throws(VaultFailure) -> OwnRules {
    let bytes = try stored { () throws(StorageError) in try self.store.meta(Self.ownRulesKey) }
    guard let bytes else { return OwnRules() }
    do throws(ConfigurationError) {
      return try OwnRules(bytes: bytes)
    } catch {
      // Nothing but its acceptance is done with a store that somebody has changed: `recover` must not
      // be kept from that by what stands there.
      guard standing == .current else { return OwnRules() }
      throw .vaultUnsafe(
        "your own rules in the store cannot be read: \(error)",
        hint: "a newer program may have written them: use that one"
      )
    }
  }

  /// Drops own rules that nobody can read, in the transaction that accepts a changed store.
  func dropUnreadableRules() throws(VaultFailure) {
    try stored { () throws(StorageError) in
      guard let bytes = try self.store.meta(Self.ownRulesKey), (try? OwnRules(bytes: bytes)) == nil
      else { return }
      try self.store.setMeta(Self.ownRulesKey, to: nil)
    }
  }

  /// The policy: the machine's rules, the user's, and what holds.
  public func policyFacts() throws(VaultFailure) -> PolicyFacts {
    let (machine, own) = (try machinePolicy(), try ownRules())
    let policy = machine.tightened(by: own)
    return PolicyFacts(
      file: rules.policyFile,
      rules: Policy.Key.allCases.map { key in
        RuleFacts(
          key: key,
          machine: machine.value(of: key),
          own: own.value(of: key),
          holds: hasEffect(key) ? policy.value(of: key) : nil
        )
      }
    )
  }

  /// Whether a rule decides about anything in this vault.
  private func hasEffect(_ key: Policy.Key) -> Bool {
    switch key {
    case .remote: places != nil
    case .store: rules.policyFile != nil
    case .window, .windowLimit, .accounts: true
    }
  }

  /// Lays down a rule of the user's own, or gives it up; after the system password.
  ///
  /// What was opened and asked under the rules of before ends: the unlock windows and all prompts.
  ///
  /// - Parameters:
  ///   - name: the rule's key.
  ///   - value: as a policy file would have it; nil gives the user's own rule up.
  ///   - prompt: a check passed by password, for this very change.
  ///   - caller: who asks.
  /// - Returns: the policy as it is now, and whether that differs from before.
  /// - Throws: `presenceNeeded`, whose detail tells what changes; `refused` for a rule that is the
  ///   machine's alone, and for a value that is laxer than the machine's.
  public func setRule(
    _ name: String,
    to value: String?,
    prompt: String?,
    caller: Caller
  ) async throws(VaultFailure) -> (facts: PolicyFacts, changed: Bool) {
    try demandCurrentStore()
    let key = try rule(named: name, to: value)
    let (machine, own) = (try machinePolicy(), try ownRules())
    let next = try checked(own, key, value, machine)
    guard next != own else {
      if let prompt { cancel(prompt, caller: caller) }
      return (try policyFacts(), false)
    }
    // Old and new stand in the question: the proof is for this change, from what holds now.
    let change = "\(key.rawValue): \(shown(own, key, machine)) → \(shown(next, key, machine))"
    let question = PromptQuestion(
      user: caller.user,
      purpose: .policy,
      account: nil,
      detail: change
    )
    guard let prompt else { throw try await askForPresence(question, account: nil, caller: caller) }
    guard try spend(prompt, question, caller) == .password else {
      throw .presenceFailed(.denied("this needs the system password"), methods: [.password])
    }
    try lay(next, change, caller)
    return (try policyFacts(), true)
  }

  private func rule(named name: String, to value: String?) throws(VaultFailure) -> Policy.Key {
    guard let key = Policy.Key(named: name) else {
      let names = Policy.Key.allCases.filter(\.isForUsers).map(\.rawValue)
      throw .invalidArgument("there is no such rule; those of users are \(Self.listed(names))")
    }
    guard key.isForUsers else {
      throw .refused("\(name) is for the machine's administrator alone\(setting(name))")
    }
    guard value == nil || hasEffect(key) else {
      throw .invalidArgument(
        "\(name) has no effect in a private vault, where all callers are at one place:"
          + " it is a rule of the service"
      )
    }
    return key
  }

  private static func listed(_ names: [String]) -> String {
    names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
  }

  /// The rules with a change that the machine allows.
  private func checked(
    _ own: OwnRules,
    _ key: Policy.Key,
    _ value: String?,
    _ machine: Policy
  ) throws(VaultFailure) -> OwnRules {
    let next: OwnRules
    do throws(ConfigurationError) {
      next = try own.setting(key, to: value)
    } catch {
      throw .invalidArgument("\(error)")
    }
    guard let value, machine.tightened(by: next).value(of: key) != value else { return next }
    let whose = rules.policyFile == nil ? "the default" : "the machine's"
    throw .refused(
      "\(key.rawValue) = \(value) is laxer than \(whose), \(machine.value(of: key))"
        + "\(setting(key.rawValue)): a user may only tighten it"
    )
  }

  private func shown(_ own: OwnRules, _ key: Policy.Key, _ machine: Policy) -> String {
    if let value = own.value(of: key) { return key.shown(value) }
    let whose = rules.policyFile == nil ? "the default" : "the machine's"
    return "\(whose) \(key.shown(machine.value(of: key)))"
  }

  private func lay(
    _ next: OwnRules,
    _ what: String,
    _ caller: Caller
  ) throws(VaultFailure) {
    let text = next.text
    try change { () throws(VaultFailure) in
      try self.stored { () throws(StorageError) in
        try self.store.setMeta(Self.ownRulesKey, to: text.isEmpty ? nil : Array(text.utf8))
      }
      // No box changes; but a store of before, without these rules, is an old one.
      try self.countBoxChange()
      try self.record(
        AuditEntry(
          .policyChanged,
          .done,
          account: nil,
          caller: caller,
          method: PresenceMethod.password.rawValue,
          detail: what
        )
      )
      guard self.isHoldingWindow else { return }
      try self.record(
        AuditEntry(.lock, .done, account: nil, caller: caller, detail: "the policy was changed")
      )
    }
    windows.closeAll(now: clock.boot)
    for prompt in prompts.names { giveUp(prompt, as: .cancelled) }
    try raiseMark()
  }

  /// Names where a rule stands that holds.
  func origin(of key: Policy.Key) throws(VaultFailure) -> String {
    try isOwn(key) ? " (\(key.rawValue), your own rule: thumblatch policy)" : setting(key.rawValue)
  }

  /// Whether what holds is the user's own rule, and not the machine's as well.
  func isOwn(_ key: Policy.Key) throws(VaultFailure) -> Bool {
    let machine = try machinePolicy()
    return machine.tightened(by: try ownRules()).value(of: key) != machine.value(of: key)
  }
}
