internal import Storage

extension Vault {
  /// Enters an account, recovers it and runs a step.
  ///
  /// No other step works on the account, no exchange helper runs for it, and the answer of an
  /// earlier one is taken over. The row may have changed since the call.
  ///
  /// - Parameters:
  ///   - identifier: the account.
  ///   - body: the step, which waits for nothing. It gets the account as it is then.
  /// - Returns: what `body` returns.
  /// - Throws: `noSuchAccount`, failures of the slot and the store, and what `body` throws.
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
