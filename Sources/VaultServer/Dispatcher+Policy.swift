internal import Configuration
internal import TokenVault
internal import VaultInterface

extension Dispatcher {
  /// `GetPolicy`, `SetPolicy`.
  func policy(
    _ request: VaultRequest,
    _ caller: Caller
  ) async throws(VaultFailure) -> VarlinkReply {
    switch request {
    case .getPolicy:
      let facts = try await vault.policyFacts()
      return try Self.made(
        GetPolicyReply(file: facts.file, rules: facts.rules.map(VaultRule.init))
      )
    case .setPolicy(let call):
      let (facts, changed) = try await vault.setRule(
        call.key,
        to: call.value,
        prompt: call.prompt,
        caller: caller
      )
      return try Self.made(
        SetPolicyReply(
          changed: changed,
          file: facts.file,
          rules: facts.rules.map(VaultRule.init)
        )
      )
    default: throw .unexpected("a call was sorted wrongly")
    }
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
