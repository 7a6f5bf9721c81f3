internal import Configuration
internal import TokenVault
internal import VaultInterface

// Methods for the policy.
extension Dispatcher {
  func getPolicy(_ call: GetPolicyCall) async throws(VaultFailure) -> GetPolicyReply {
    let facts = try await vault.policyFacts()
    return GetPolicyReply(file: facts.file, rules: facts.listed())
  }

  func setPolicy(_ call: SetPolicyCall) async throws(VaultFailure) -> SetPolicyReply {
    let (facts, changed) =
      try await vault.setRule(call.key, to: call.value, prompt: call.prompt, caller: caller)
    return SetPolicyReply(
      changed: changed,
      file: facts.file,
      rules: facts.listed(changed: call.key)
    )
  }
}

// Methods for the rules of callers.
extension Dispatcher {
  /// The user's own rules for callers, which hold in the service.
  func ownCallerRules() async throws(VaultFailure) -> [NamedRule] {
    form == .service ? try await vault.ownCallerRules() : []
  }

  func listRules(_ call: ListRulesCall) async throws(VaultFailure) -> ListRulesReply {
    let own = try await ownCallerRules()
    let policy = try vaults.policy()
    return ListRulesReply(
      file: vaults.rules.policyFile,
      rules: policy.callers.map { VaultCallerRule($0, own: false, under: policy) }
        + own.map { VaultCallerRule($0, own: true, under: policy) }
    )
  }

  func testRule(_ call: TestRuleCall) async throws(VaultFailure) -> TestRuleReply {
    let (marks, user) = try vaults.marks(of: call, for: caller)
    guard user != caller.user, let care = vaults.care else {
      return try await test(call, marks, own: try await ownCallerRules(), in: vault)
    }
    // Root asks about the process of another user, whose own rules hold for it. A failure of that
    // user's vault must not hide the rules of the machine.
    do throws(VaultFailure) {
      let opened = try await vaults.borrow(forRoot: user, care)
      defer { vaults.giveBack(user, opened, false, false) }
      let own = try await opened.vault.ownCallerRules()
      return try await test(call, marks, own: own, in: opened.vault)
    } catch {
      // A vault that is busy can be asked again.
      if case .busy = error { throw error }
      return try await test(call, marks, own: [], in: vault)
    }
  }

  private func test(
    _ call: TestRuleCall,
    _ marks: CallerMarks,
    own: [NamedRule],
    in vault: Vault
  ) async throws(VaultFailure) -> TestRuleReply {
    let rules = try vaults.callerRules() + own
    let held = rules.filter { $0.matches(marks) }
    let rule = rules.rule(for: marks)
    var limits = rule?.settings ?? [:]
    // Most rules only tighten the desktop's.
    if let rule, rule.desktop != nil {
      limits["desktop"] = try await vault.desktop(under: rule).rawValue
    }
    return TestRuleReply(
      unit: marks.unit,
      userUnit: call.unit == nil ? marks.userUnit : nil,
      sandboxed: marks.isSandboxed,
      rules: held.map(\.name),
      because: held.map(\.condition),
      limits: limits
    )
  }
}

extension VaultCallerRule {
  init(_ rule: NamedRule, own: Bool, under policy: Policy) {
    self.init(
      name: rule.name,
      settings: rule.settings,
      own: own,
      loosensDesktop: rule.loosens(policy.desktop)
    )
  }
}

extension PolicyFacts {
  /// The rules as the interface has them; `changed` is listed even if it is not set any more.
  func listed(changed: String? = nil) -> [VaultRule] {
    var callers = callers.map { VaultRule($0.key, $0.value, holds: $0.holds) }
    if let key = changed.flatMap(CallerRuleKey.init),
      !callers.contains(where: { $0.key == "\(key)" })
    {
      callers.append(VaultRule(key, nil, holds: false))
    }
    return rules.map(VaultRule.init) + callers
  }
}

extension VaultRule {
  init(_ facts: RuleFacts) {
    self.init(
      key: facts.key.rawValue,
      machine: facts.machine,
      own: facts.own,
      holds: facts.holds,
      forUsers: facts.key.isForUsers,
      location: facts.location
    )
  }

  /// A setting of the user's own rule for callers, which the machine does not have.
  init(_ key: CallerRuleKey, _ value: String?, holds: Bool) {
    self.init(
      key: "\(key)",
      machine: "-",
      own: value,
      holds: holds ? value : nil,
      forUsers: true
    )
  }
}
