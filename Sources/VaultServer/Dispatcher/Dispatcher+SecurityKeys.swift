internal import TokenVault
internal import VaultInterface

// Methods for security keys.
extension Dispatcher {
  func listKeys(_ call: ListKeysCall) async throws(VaultFailure) -> ListKeysReply {
    ListKeysReply(keys: try await vault.keyFacts().map { VaultSecurityKey($0) })
  }

  func enrollKey(_ call: EnrollKeyCall) async throws(VaultFailure) -> EnrollKeyReply {
    let context = context
    try await vault.enrollKey(call.key, pin: call.pin, prompt: call.prompt, caller: caller) {
      if context.more { context.send(EnrollKeyReply(event: .waiting, key: call.key)) }
    }
    return EnrollKeyReply(event: .done, key: call.key)
  }

  func removeKey(_ call: RemoveKeyCall) async throws(VaultFailure) -> ListKeysReply {
    let left = try await vault.removeKey(call.key, prompt: call.prompt, caller: caller)
    return ListKeysReply(keys: left.map { VaultSecurityKey($0) })
  }
}

extension VaultSecurityKey {
  init(_ facts: KeyFacts) {
    self.init(name: facts.name, enrolledAt: Int(facts.enrolledAt))
  }
}
