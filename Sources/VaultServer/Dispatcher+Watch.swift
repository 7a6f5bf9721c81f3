internal import TokenVault
internal import VaultInterface

extension Dispatcher {
  /// `Watch`: each reply is taken before the next one is made.
  func watch(
    _ call: WatchCall,
    _ more: Bool,
    _ caller: Caller,
    _ reply: @escaping @Sendable (VarlinkReply) -> Void,
    _ whenSent: @escaping @Sendable () async -> Bool
  ) async throws(VaultFailure) -> VarlinkReply {
    guard more else {
      return try Self.made(WatchReply(try await vault.watchFacts(of: call.account, caller: caller)))
    }
    let last = try await vault.watch(
      account: call.account,
      refreshAhead: call.refreshAhead.map(Int64.init),
      caller: caller
    ) { facts in
      guard let part = try? VarlinkReply(WatchReply(facts), continues: true) else { return false }
      reply(part)
      return await whenSent()
    }
    return try Self.made(WatchReply(last))
  }
}

extension WatchReply {
  init(_ facts: WatchFacts) {
    self.init(account: facts.account.map(VaultAccount.init), unlocked: facts.isUnlocked)
  }
}
