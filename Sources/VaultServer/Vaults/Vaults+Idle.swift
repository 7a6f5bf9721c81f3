internal import Synchronization
internal import System
internal import TokenVault

// Closes idle vaults, and decides when the engine may end.
extension Vaults {
  /// Whether the process may end without a loss, by the last result of `prepareEnd`.
  ///
  /// An engine whose machine key only a recovery code opened stays: the next one would need the
  /// code.
  var mayEnd: Bool {
    guard !isHeldByCode else { return false }
    return onlyUser == nil
      ? state.withLock { $0.entries.isEmpty } : isRestful.load(ordering: .acquiring)
  }

  /// Whether the engine stays although it is idle.
  var isHeldByCode: Bool { slotChanges.slots?.isHeldByCode ?? false }

  /// Whether the engine of a private vault should end soon after its last client has left.
  ///
  /// An engine keeps the groups of the session that started it. After the administrator has added
  /// its user to the group of the TPM, only an engine of a later session may open the TPM.
  var shouldGiveWay: Bool {
    guard onlyUser != nil, let slots = slotChanges.slots else { return false }
    return slots.isDenied && !slots.isOpen
  }

  /// Discards that result, which is out of date once a client has connected.
  func forgetEnd() { isRestful.store(false, ordering: .releasing) }

  /// Finds out whether the process may end, and closes idle vaults.
  ///
  /// It calls `done` only if the engine may end. Otherwise the server would wake, and call it again
  /// without a pause.
  func prepareEnd(_ done: @escaping @Sendable () -> Void) {
    guard !isHeldByCode else { return }
    beside { [self] in
      if let onlyUser {
        // A vault that could not be opened holds nothing.
        var mayRest = true
        if let vault = openVault(of: onlyUser) {
          // Work may still run if it is to end soon.
          mayRest = if shouldGiveWay { await vault.isIdle } else { await !vault.isHeld }
        }
        isRestful.store(mayRest, ordering: .releasing)
      } else {
        await close(connected: [], unusedFor: 0)
      }
      if mayEnd { done() }
    }
  }

  /// Closes the vaults that were not used for a while.
  func closeResting(connected: Set<UInt32>) {
    guard onlyUser == nil else { return }
    beside { await self.close(connected: connected, unusedFor: Self.restSeconds) }
  }

  private func close(connected: Set<UInt32>, unusedFor seconds: Int64) async {
    for (user, vault) in openVaults where !connected.contains(user) {
      await close(vault, of: user, unusedFor: seconds)
    }
  }

  /// Closes a vault that was not used for a while.
  func close(_ vault: Vault, of user: UInt32, unusedFor seconds: Int64) async {
    let before = state.withLock { state in
      state.entries[user].map { ($0.uses, $0.calls, $0.lastUse) }
    }
    guard let (uses, calls, lastUse) = before, calls == 0,
      BootInstant.now.seconds(since: lastUse) >= seconds, await vault.isIdle
    else { return }
    let isClosed = state.withLock { state in
      // A call that came since then may have opened something.
      guard let entry = state.entries[user], entry.uses == uses, entry.calls == 0 else {
        return false
      }
      state.entries[user] = nil
      return true
    }
    if isClosed { await vault.retire() }
  }

  /// Waits until all data is written.
  ///
  /// Running work may take at most so many seconds.
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
    guard let slots = slotChanges.slots else { return }
    try? await blocking { slots.finishCounter() }
  }

  private func isBusy(_ user: UInt32, _ vault: Vault) async -> Bool {
    let calls = state.withLock { state in
      state.entries[user].map { $0.calls - $0.passing } ?? 0
    }
    if calls > 0 { return true }
    return await vault.isAtWork
  }
}
