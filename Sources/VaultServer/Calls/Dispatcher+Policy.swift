internal import Configuration
internal import TokenVault
internal import VaultInterface

// Methods for the policy.
extension Dispatcher {
  func getPolicy(_ call: GetPolicyCall) async throws(VaultFailure) -> GetPolicyReply {
    let facts = try await vault.policyFacts()
    return GetPolicyReply(file: facts.file, rules: facts.rules.map(VaultRule.init))
  }

  func setPolicy(_ call: SetPolicyCall) async throws(VaultFailure) -> SetPolicyReply {
    let (facts, changed) =
      try await vault.setRule(call.key, to: call.value, prompt: call.prompt, caller: caller)
    return SetPolicyReply(
      changed: changed,
      file: facts.file,
      rules: facts.rules.map(VaultRule.init)
    )
  }
}

// Methods for the rules of callers.
extension Dispatcher {
  func listRules(_ call: ListRulesCall) async throws(VaultFailure) -> ListRulesReply {
    ListRulesReply(
      file: vaults.rules.policyFile,
      rules: try vaults.callerRules().map { rule in
        VaultCallerRule(name: rule.name, settings: rule.settings)
      }
    )
  }

  func testRule(_ call: TestRuleCall) async throws(VaultFailure) -> TestRuleReply {
    let marks = try vaults.marks(of: call, for: caller)
    let rules = try vaults.callerRules()
    return TestRuleReply(
      unit: marks.unit,
      userUnit: marks.userUnit,
      sandboxed: marks.isSandboxed,
      rules: rules.filter { $0.matches(marks) }.map(\.name),
      because: rules.filter { $0.matches(marks) }.map(\.condition),
      limits: rules.rule(for: marks)?.settings ?? [:]
    )
  }
}

extension VaultRule {
  init(_ facts: RuleFacts) {
    self.init(
      key: facts.key.rawValue,
      machine: facts.machine,
      own: facts.own,
      holds: facts.holds,
      forUsers: facts.key.isForUsers
    )
  }
}
