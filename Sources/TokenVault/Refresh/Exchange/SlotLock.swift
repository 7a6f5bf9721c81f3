internal import Configuration
internal import Storage
internal import System

// The lock of an account's slot, and the exchange helpers that outlived their engine.
extension Vault {
  /// How much longer than its lifetime the engine waits for an orphaned exchange helper, in
  /// seconds.
  private static let orphanGrace = 5
  private static let orphanPoll: Int64 = 50

  /// Finishes what an engine or an exchange helper left behind, without a presence check.
  ///
  /// Concurrent callers share the outcome, so that none of them waits for an orphan again.
  func finishInterrupted(_ account: AccountRow) async throws(VaultFailure) {
    let recovery = refreshes.recovery(of: account.id) {
      Task { await self.recoverInterrupted(account.id) }
    }
    try await recovery.value.get()
  }

  private func recoverInterrupted(_ identifier: [UInt8]) async -> Result<Void, VaultFailure> {
    await enter(identifier)
    defer {
      leave(identifier)
      refreshes.endRecovery(of: identifier)
    }
    do throws(VaultFailure) {
      let slot = try await lockedSlot(identifier)
      if case .waiting(let why) = try await recover(identifier, slot) { throw why }
      _ = try await admitUnchecked(identifier)
      slot.close()
      return .success(())
    } catch {
      return .failure(error)
    }
  }

  /// Opens and locks the account's slot; waits for an exchange helper that outlived its engine.
  ///
  /// Refuses an account that is on its way into a private vault, unless the caller works on all
  /// accounts.
  func lockedSlot(
    _ identifier: [UInt8],
    ofLeaving: Bool = false
  ) async throws(VaultFailure) -> SlotFile {
    let begun = clock.boot
    while true {
      // The slot of a removed account is missing, which is no damage.
      let account = try account(withIdentifier: identifier)
      if !ofLeaving { try demandNotLeaving(account) }
      let slot = try stored(try SlotFile(in: directory, account: identifier))
      if try stored(try slot.lock()) { return slot }
      guard clock.boot < begun.advanced(bySeconds: orphanWait(of: account)) else {
        throw .providerUnavailable(
          "an earlier exchange with the provider has not ended yet",
          retryAfter: 30
        )
      }
      await clock.pause(milliseconds: Self.orphanPoll)
    }
  }

  /// How long the engine waits for an earlier exchange helper of this account, in seconds.
  ///
  /// The helper ends within the limits of the provider that it asks.
  private func orphanWait(of account: AccountRow) -> Int64 {
    var limits = (try? provider(of: account))?.limits ?? .standard
    if let intent = (try? intent(of: account)) ?? nil,
      let asked = try? provider(for: intent, of: account),
      asked.limits.exchangeHelperLifetime > limits.exchangeHelperLifetime
    {
      limits = asked.limits
    }
    return Int64(limits.exchangeHelperLifetime + Self.orphanGrace)
  }
}
