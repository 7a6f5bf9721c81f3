internal import Storage

extension Vault {
  /// Runs a step that has an account to itself.
  ///
  /// Nobody else in this engine works on it, no exchange helper is under way, and what one has left
  /// is taken over: the row is the account as it is then, which may be another than when it was
  /// asked for.
  ///
  /// - Parameters:
  ///   - identifier: the account.
  ///   - body: the step; it does not wait for anything.
  /// - Throws: `noSuchAccount`, what the store cannot do, and what `body` throws.
  /// - Returns: what `body` returns.
  /// - Throws: what it throws, and what the slot or the store cannot do.
  func withAccount<Value>(
    _ identifier: [UInt8],
    _ body: (AccountRow) throws(VaultFailure) -> Value
  ) async throws(VaultFailure) -> Value {
    await enter(identifier)
    defer { leave(identifier) }
    let slot = try await lockedSlot(identifier)
    try await recover(identifier, slot)
    let value = try body(try account(withIdentifier: identifier))
    slot.close()
    return value
  }
}
