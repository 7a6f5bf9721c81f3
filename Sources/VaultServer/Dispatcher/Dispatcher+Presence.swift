internal import Presence
internal import PresenceTerms
internal import TokenVault
internal import Varlink
internal import VaultInterface

// Methods for presence checks, and for the actions that only a check allows.
extension Dispatcher {
  func check(_ call: CheckCall) async throws(VaultFailure) -> VaultInterface.CheckEvent {
    let step = try await vault.check(
      call.prompt,
      by: call.presenceMethod,
      or: call.also ?? [],
      mayWait: context.more && call.wait == true,
      caller: caller,
      report: context.tell
    )
    return VaultInterface.CheckEvent(step)
  }

  func respond(_ call: RespondCall) async throws(VaultFailure) -> VaultInterface.CheckEvent {
    VaultInterface.CheckEvent(
      try await vault.respond(call.prompt, text: call.text, caller: caller, report: context.tell)
    )
  }

  func cancel(_ call: CancelCall) async throws(VaultFailure) -> EmptyReply {
    await vault.cancel(call.prompt, caller: caller)
    return EmptyReply()
  }

  func enablePresence(_ call: EnablePresenceCall) async throws(VaultFailure) -> AccountReply {
    let facts = try await vault.setProtection(
      true,
      account: call.account,
      prompt: call.prompt,
      caller: caller
    )
    return AccountReply(facts)
  }

  func disablePresence(_ call: DisablePresenceCall) async throws(VaultFailure) -> AccountReply {
    let facts = try await vault.setProtection(
      false,
      account: call.account,
      prompt: call.prompt,
      caller: caller
    )
    return AccountReply(facts)
  }

  func testPresence(_ call: TestPresenceCall) async throws(VaultFailure) -> TestPresenceReply {
    let method = try await vault.testPresence(prompt: call.prompt, caller: caller)
    return TestPresenceReply(method: method.rawValue)
  }

  func unlock(_ call: UnlockCall) async throws(VaultFailure) -> UnlockReply {
    let facts = try await vault.unlock(
      call.accounts,
      seconds: call.duration.map(Int64.init),
      prompt: call.prompt,
      caller: caller
    )
    return UnlockReply(
      unlockedFor: Int(clamping: facts.unlockedFor ?? 0),
      unlockedAccounts: facts.unlockedAccounts
    )
  }

  func lock(_ call: LockCall) async throws(VaultFailure) -> LockReply {
    LockReply(wasUnlocked: try await vault.lock(caller: caller))
  }
}

extension CallContext {
  /// Reports the notices of a running check to the client.
  fileprivate var tell: @Sendable (CheckNotice) -> Void {
    { notice in send(VaultInterface.CheckEvent(notice)) }
  }
}
