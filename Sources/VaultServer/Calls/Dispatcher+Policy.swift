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
