internal import TokenVault
internal import Varlink
internal import VaultInterface

extension Dispatcher {
  /// Streams changes.
  ///
  /// The client reads each reply before the next one is made.
  func watch(_ call: WatchCall) async throws(VaultFailure) -> WatchReply {
    guard context.more else {
      return WatchReply(try await vault.watchFacts(of: call.account, caller: caller))
    }
    let last = try await vault.watch(
      account: call.account,
      refreshAhead: call.refreshAhead.map(Int64.init),
      caller: caller
    ) { facts in
      guard let part = try? VarlinkReply(WatchReply(facts), continues: true) else { return false }
      context.reply(part)
      return await context.whenSent()
    }
    return WatchReply(last)
  }
}

extension WatchReply {
  init(_ facts: WatchFacts) {
    self.init(account: facts.account.map(VaultAccount.init), unlocked: facts.isUnlocked)
  }
}
