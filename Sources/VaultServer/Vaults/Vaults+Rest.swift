internal import Synchronization
internal import System
internal import TokenVault

// When a vault is closed, and the engine ends.
extension Vaults {
  /// Whether the process may end without anything being lost, as far as `prepareEnd` found out.
  var mayEnd: Bool {
    onlyUser == nil
      ? state.withLock { $0.entries.isEmpty } : isRestful.load(ordering: .acquiring)
  }

  /// What was found out is old once somebody has connected.
  func forgetEnd() { isRestful.store(false, ordering: .releasing) }

  /// Finds out whether the process may end, and closes what can be closed; then calls `done`.
  func prepareEnd(_ done: @escaping @Sendable () -> Void) {
    beside { [self] in
      if let onlyUser, let vault = openVault(of: onlyUser) {
        isRestful.store(await !vault.isHoldingWindow, ordering: .releasing)
      } else {
        await close(connected: [], unusedFor: 0)
      }
      done()
    }
  }

  /// Closes the vaults that nobody has used for a while.
  func closeResting(connected: Set<UInt32>) {
    guard onlyUser == nil else { return }
    beside { await self.close(connected: connected, unusedFor: Self.restSeconds) }
  }

  private func close(connected: Set<UInt32>, unusedFor seconds: Int64) async {
    for (user, vault) in openVaults where !connected.contains(user) {
      let before = state.withLock { state in
        state.entries[user].map { ($0.uses, $0.calls, $0.lastUse) }
      }
      guard let (uses, calls, lastUse) = before, calls == 0,
        BootInstant.now.seconds(since: lastUse) >= seconds, await vault.isAtRest
      else { continue }
      let isClosed = state.withLock { state in
        // Whoever has asked since then may have opened something.
        guard let entry = state.entries[user], entry.uses == uses, entry.calls == 0 else {
          return false
        }
        state.entries[user] = nil
        return true
      }
      if isClosed { await vault.retire() }
    }
  }

  /// Waits until all is written down, at most so many seconds for what is under way.
  func retireAll(within seconds: Int64) async {
    let deadline = BootInstant.now.advanced(bySeconds: seconds)
    await withTaskGroup { group in
      for (user, vault) in openVaults {
        group.addTask {
          await vault.endChecks()
          while BootInstant.now < deadline, await self.isBusy(user, vault) {
            try? await Task.sleep(nanoseconds: 20_000_000)
          }
          await vault.retire()
        }
      }
    }
  }

  private func isBusy(_ user: UInt32, _ vault: Vault) async -> Bool {
    let calls = state.withLock { state in
      state.entries[user].map { $0.calls - $0.passing } ?? 0
    }
    if calls > 0 { return true }
    return await vault.isAtWork
  }
}
