internal import AuditLog
internal import PresenceTerms
internal import Storage

// Re-encryption of a vault that opens with only its file, so that it needs the machine key.
extension Vault {
  /// Whether there is an open machine key, but this vault opens without it.
  var needsMachineKey: Bool {
    machineKeySlots?.opened != nil && !isUnderMachineKey
  }

  /// Re-encrypts everything under the machine key, if this vault opens without it.
  ///
  /// It is a rekey without a presence check, because it only tightens. A kill is handled like a
  /// kill of a rekey.
  ///
  /// - Returns: whether the vault was rekeyed.
  /// - Throws: why it cannot be rekeyed now; nothing was changed then.
  @discardableResult
  package func adoptMachineKey(caller: Caller) async throws(VaultFailure) -> Bool {
    guard needsMachineKey else { return false }
    try demandCurrentStore()
    return try await withAllAccounts { identifier, slot throws(VaultFailure) in
      try await self.emptyForRekey(identifier, slot)
    } _: { () throws(VaultFailure) in
      // Another call may have done it while this one waited.
      guard self.needsMachineKey else { return false }
      _ = try self.rekey(.underMachineKey, caller)
      return true
    }
  }

  /// Spends the system password for a change of the slots.
  package func allowSlotChange(
    _ detail: String,
    prompt: String?,
    caller: Caller
  ) async throws(VaultFailure) {
    try demandCurrentStore()
    try await spendPassword(for: caller.question(.machineKey, detail: detail), by: prompt, caller)
  }

  /// Records a change of the slots.
  ///
  /// If the recovery code allowed it, there was no presence check.
  package func recordSlotChange(
    _ detail: String,
    isByCode: Bool,
    caller: Caller
  ) throws(VaultFailure) {
    try change {
      if isByCode {
        try record(.machineKey, .done, by: caller, detail: detail)
      } else {
        try recordByPassword(.machineKey, by: caller, detail: detail)
      }
    }
  }
}
