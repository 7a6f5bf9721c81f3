internal import Cryptography
internal import Storage

extension Vault {
  /// Runs a step while no other step works on any account, and no exchange helper runs.
  ///
  /// Accounts are entered in the order of their ids. While an account is entered, this engine
  /// starts no exchange helper for it. Once its slot could be locked, no helper of an earlier
  /// engine is left. So the slots themselves need not stay open.
  ///
  /// - Parameters:
  ///   - prepare: is called once for each account, with its slot locked.
  ///   - body: the step, during which every other step waits.
  /// - Returns: what `body` returns.
  /// - Throws: what either throws, and `busy` while another step works on all accounts.
  func withAllAccounts<Value: Sendable>(
    prepare: ([UInt8], borrowing SlotFile) async throws(VaultFailure) -> Void,
    _ body: () async throws(VaultFailure) -> Value
  ) async throws(VaultFailure) -> Value {
    guard holdAllAccounts() else { throw .busy("all accounts are in use by other calls") }
    var taken: [[UInt8]] = []
    defer {
      releaseAllAccounts()
      for identifier in taken { leave(identifier) }
    }
    // While this step waits for an account, another one may be made or removed.
    while let next = try untaken(taken) {
      await enter(next)
      taken.append(next)
      do throws(VaultFailure) {
        let slot = try await lockedSlot(next, ofLeaving: true)
        try await prepare(next, slot)
      } catch {
        if case .noSuchAccount = error { continue }
        throw error
      }
    }
    return try await body()
  }

  private func untaken(_ taken: [[UInt8]]) throws(VaultFailure) -> [UInt8]? {
    try stored(try store.allAccounts())
      .first { !taken.contains($0.id) }?.id
  }

  /// Zeroes a slot.
  func empty(_ slot: borrowing SlotFile) throws(VaultFailure) {
    let image = try stored(try slot.readWhole())
    guard !SlotImage.isEmpty(image) else { return }
    try stored(try slot.zero())
  }
}
