internal import AuditLog
package import Configuration
internal import PlainText
internal import Presence
internal import PresenceTerms
internal import Storage

package struct RuleFacts: Sendable, Equatable {
  package let key: Policy.Key
  /// The machine's value, or the default.
  package let machine: String
  /// The file and line of the machine's value; `nil` if none sets it.
  package let location: String?
  /// The user's own value; `nil` if there is none.
  package let own: String?
  /// The value in effect, which is the stricter one; `nil` if the rule has no effect in this vault.
  package let holds: String?
}

package struct PolicyFacts: Sendable {
  /// The file of the machine's rules; `nil` if there is none, and they are the defaults.
  package let file: String?
  package let rules: [RuleFacts]
  /// The settings of the user's own rules for callers.
  ///
  /// A rule `holds` for programs, or only for restricted sockets that name it.
  package let callers: [(key: CallerRuleKey, value: String, holds: Bool)]
}

// A user may tighten the rules of the administrator. The service cannot read the user's home, so
// the user's own rules are stored in the user's vault. The rollback counter and the store digest
// detect their removal and the restore of an older store (StoreDigest.swift).
//
// Which of two rules is the stricter is decided each time, because the machine's file may change at
// any time.
extension Vault {
  /// The key of the user's own rules in the store.
  static let ownRulesKey = "own-rules"

  /// The user's own rules.
  ///
  /// Only this engine writes the store, so they are read and parsed once.
  func ownRules() throws(VaultFailure) -> UserRules {
    if let own = ruleState.own { return own }
    let bytes = try stored(try store.meta(Self.ownRulesKey))
    do throws(ConfigurationError) {
      let rules = try bytes.map(UserRules.init(bytes:)) ?? UserRules()
      ruleState.keep(rules)
      return rules
    } catch {
      // A changed store can only be accepted: unreadable rules in it must not keep `recover` from
      // that.
      guard freshness == .current else { return UserRules() }
      throw .vaultUnsafe(
        "your own rules in the store cannot be read: \(error)",
        hint: "a newer program may have written them: use that one"
      )
    }
  }

  /// Drops own rules that cannot be read, in the transaction that accepts a changed store.
  func dropUnreadableRules() throws(StorageError) {
    guard let bytes = try store.meta(Self.ownRulesKey), (try? UserRules(bytes: bytes)) == nil
    else { return }
    try store.setMeta(Self.ownRulesKey, to: nil)
    forgetOwnRules()
  }

  private func forgetOwnRules() {
    ruleState.forgetOwn()
    callerRulesOfUser.forget()
  }

  /// The policy: the machine's rules, the user's, and those in effect.
  package func policyFacts() throws(VaultFailure) -> PolicyFacts {
    // One reading: each of them reads all files.
    let located = try readingRules { rules throws(ConfigurationError) in try rules.locatedPolicy() }
    let (machine, own) = (located.policy, try ownRules())
    let policy = machine.tightened(by: own)
    return PolicyFacts(
      file: policyFile,
      rules: Policy.Key.allCases.map { key in
        RuleFacts(
          key: key,
          machine: machine.value(of: key),
          location: located.locations[key],
          own: own.value(of: key),
          holds: hasEffect(key) ? policy.value(of: key) : nil
        )
      },
      callers: own.callers.flatMap { rule in
        rule.settings.sorted { $0.key < $1.key }.map { setting in
          let key = CallerRuleKey(rule: rule.name, key: setting.key)
          return (key, setting.value, rule.match != .onRequest)
        }
      }
    )
  }

  /// Whether a rule decides about anything in this vault.
  func hasEffect(_ key: Policy.Key) -> Bool {
    switch key {
    case .remote: hasLocations
    // The programs that use a private vault may show their prompts themselves.
    case .desktop: hasAgents && hasLocations
    case .notify: hasAgents
    case .store, .providers, .privateVaults, .journal: policyFile != nil
    case .key, .window, .windowLimit, .accounts, .presence, .exportable: true
    }
  }

  /// Sets a rule of the user's own, or removes it; needs the system password.
  ///
  /// Everything that was opened or asked under the previous rules ends: the unlock windows and all
  /// prompts.
  ///
  /// `value` is written as in a policy file; `nil` removes the user's own rule. `prompt` is a check
  /// passed by password, for exactly this change.
  ///
  /// - Returns: the policy as it is now, and whether it has changed.
  /// - Throws: `presenceNeeded`, whose detail names the change; `refused` for a rule that only the
  ///   administrator may set, and for a value that is laxer than the machine's.
  package func setRule(
    _ name: String,
    to value: String?,
    prompt: String?,
    caller: Caller
  ) async throws(VaultFailure) -> (facts: PolicyFacts, changed: Bool) {
    try demandCurrentStore()
    let own = try ownRules()
    let (next, change) = try changed(own, name, to: value)
    guard next != own else {
      if let prompt { cancel(prompt, caller: caller) }
      return (try policyFacts(), false)
    }
    // The question has the old and the new value: the proof is for this change of the present
    // value.
    let question = caller.question(.policy, detail: change)
    try await spendPassword(for: question, by: prompt, caller)
    try lay(next, change, caller)
    return (try policyFacts(), true)
  }

  /// The rules with a change, and the change in words.
  private func changed(
    _ own: UserRules,
    _ name: String,
    to value: String?
  ) throws(VaultFailure) -> (UserRules, String) {
    if let key = CallerRuleKey(name) {
      guard policyFile != nil else {
        throw .invalidArgument(
          "\(name) has no effect in a private vault: it is a rule of the service"
        )
      }
      // A rule for callers loosens nothing, whatever the machine's rules are.
      let next = try mappingErrors(to: .invalidArgument) { try own.setting(key, to: value) }
      let values = [own.value(of: key), next.value(of: key)].map { $0 ?? "not set" }
      return (next, "\(key): \(values[0]) → \(values[1])")
    }
    let key = try rule(named: name, to: value)
    let machine = try machinePolicy()
    let next = try checked(own, key, value, machine)
    return (
      next, "\(key.rawValue): \(shown(own, key, machine)) → \(shown(next, key, machine))"
    )
  }

  private func rule(named name: String, to value: String?) throws(VaultFailure) -> Policy.Key {
    guard let key = Policy.Key(named: name) else {
      let names = Policy.Key.allCases.filter(\.isForUsers).map(\.rawValue)
      throw .invalidArgument("unknown rule; you can set \(names.listed("and"))")
    }
    guard key.isForUsers else {
      throw .refused("\(name) can be set only by the machine's administrator\(setting(key))")
    }
    guard value == nil || hasEffect(key) else {
      throw .invalidArgument(
        "\(name) has no effect in a private vault, where all callers have the same location:"
          + " it is a rule of the service"
      )
    }
    return key
  }

  /// The rules with a change that the machine allows.
  private func checked(
    _ own: UserRules,
    _ key: Policy.Key,
    _ value: String?,
    _ machine: Policy
  ) throws(VaultFailure) -> UserRules {
    let next = try mappingErrors(to: .invalidArgument) { try own.setting(key, to: value) }
    // The values are compared, not their spellings.
    guard value != nil, let value = next.value(of: key),
      machine.tightened(by: next).value(of: key) != value
    else { return next }
    let whose = policyFile == nil ? "the default" : "the machine's"
    throw .refused(
      "\(key.rawValue) = \(value) is laxer than \(whose), \(machine.value(of: key))"
        + "\(setting(key)): a user may only tighten it"
    )
  }

  private func shown(_ own: UserRules, _ key: Policy.Key, _ machine: Policy) -> String {
    if let value = own.value(of: key) { return key.shown(value) }
    let whose = policyFile == nil ? "the default" : "the machine's"
    return "\(whose) \(key.shown(machine.value(of: key)))"
  }

  private func lay(_ next: UserRules, _ what: String, _ caller: Caller) throws(VaultFailure) {
    let text = next.text
    // Also after a failed commit: then it is not known what the store holds.
    defer { forgetOwnRules() }
    // No box changes, but an older store without these rules must count as an old copy.
    try changeSealed {
      try store.setMeta(Self.ownRulesKey, to: text.isEmpty ? nil : Array(text.utf8))
      try recordByPassword(.policyChanged, by: caller, detail: what)
      guard isHoldingWindow else { return }
      try record(.lock, .done, by: caller, detail: "the policy was changed")
    } committed: {
      closeWindows()
      for prompt in prompts.names { giveUp(prompt, as: .cancelled) }
    }
  }

  /// The text that names the origin of the rule in effect.
  func origin(of key: Policy.Key) throws(VaultFailure) -> String {
    try isOwn(key) ? " (\(key.rawValue), your own rule: thumblatch policy)" : setting(key)
  }

  /// Whether the value in effect is only the user's own, and not the machine's as well.
  func isOwn(_ key: Policy.Key) throws(VaultFailure) -> Bool {
    let machine = try machinePolicy()
    return machine.tightened(by: try ownRules()).value(of: key) != machine.value(of: key)
  }
}
