internal import AuditLog
internal import Configuration
internal import Cryptography
internal import Presence
internal import PresenceTerms
package import SecretMemory
internal import Storage

/// A handover that is not known to have ended.
package struct OpenHandOver: Sendable, Equatable {
  /// Sixteen bytes that name it.
  package let transfer: [UInt8]
  /// Sixteen bytes that name the private vault.
  package let vault: [UInt8]
  let accounts: [[UInt8]]

  package init(transfer: [UInt8], vault: [UInt8], accounts: [[UInt8]] = []) {
    self.transfer = transfer
    self.vault = vault
    self.accounts = accounts
  }
}

/// The accounts that a passed check lets the engine of a private vault fetch, once.
struct AllowedExport {
  /// The SHA-256 of the key of that engine.
  let commitment: [UInt8]
  /// The accounts that the check named.
  let accounts: [AccountRow]
  let authority: Authority
  /// The caller that passed the check.
  let caller: Caller
}

// The service's side of an export. The steps:
//  1. A client asks for the accounts, with the digest of the key that the private engine has made.
//     The check by password is bound to both.
//  2. The private engine shows the key. The service commits a record that names the handover, the
//     private vault and the accounts, and gives the accounts, sealed under that key.
//  3. The private vault commits them, with the receipt that lay among them.
//  4. The private engine shows the receipt, and the service erases the accounts with the record.
// While there is a record, no refresh token of these accounts is opened. The private engine is the
// only one to fetch, so it always knows if it has them: without them it lets the service use them
// again.
extension Vault {
  private static let handOverKey = "handover"
  static let receiptCount = 32
  private static let commitmentCount = 32

  /// Lets the engine of the user's private vault fetch accounts once; needs the system password.
  ///
  /// - Parameters:
  ///   - names: the accounts, which the prompt shows.
  ///   - commitment: the SHA-256 of the key of that engine. The check is bound to it, so another
  ///     program cannot use it.
  ///   - prompt: a check passed by password.
  ///   - caller: the caller that asks.
  /// - Throws: `presenceNeeded`, `noSuchAccount`, `refused` if an account must stay.
  package func allowExport(
    _ names: [String],
    commitment: [UInt8],
    prompt: String?,
    caller: Caller
  ) async throws(VaultFailure) {
    try demandCurrentStore()
    try demandExports()
    guard commitment.count == Self.commitmentCount, !names.isEmpty, Set(names).count == names.count
    else { throw .invalidArgument("an export needs a digest of 32 bytes and different accounts") }
    // Before the check, so that no person is asked in vain.
    if let failure = leavingFailure { throw failure }
    let rows = try names.map { name throws(VaultFailure) in try account(named: name) }
    for row in rows { try demandExportable(row) }
    let question = caller.question(
      .moveToPrivateVault,
      detail: rows.map(\.name).joined(separator: ", "),
      binding: try digest(commitment + rows.flatMap(\.id))
    )
    let proof = try await proof(of: question, by: prompt, caller)
    moving.allow(
      AllowedExport(
        commitment: commitment,
        accounts: rows,
        authority: Authority(proof),
        caller: caller
      )
    )
  }

  /// The accounts that were allowed, sealed under the key that shows the right to them.
  ///
  /// - Parameters:
  ///   - key: its digest is that of `allowExport`.
  ///   - vault: names the private vault.
  /// - Returns: the accounts in the form of a backup.
  /// - Throws: `refused` without a right; nothing is changed then.
  package func handOver(
    _ key: SharedSecret,
    to vault: [UInt8]
  ) async throws(VaultFailure) -> [UInt8] {
    try demandCurrentStore()
    try demandExports()
    guard vault.count == Self.transferCount else {
      throw .invalidArgument("a vault is named by \(Self.transferCount) bytes")
    }
    guard let allowed = moving.takeAllowed(try digest(of: key)) else {
      throw .refused("no presence check has allowed this: run 'thumblatch service export' again")
    }
    let identifiers = Set(allowed.accounts.map(\.id))
    return try await withAllAccounts { identifier, slot throws(VaultFailure) in
      guard identifiers.contains(identifier) else { return }
      _ = try await self.recover(identifier, slot)
    } _: { () throws(VaultFailure) in
      try self.beginHandOver(allowed, key, vault)
    }
  }

  private func beginHandOver(
    _ allowed: AllowedExport,
    _ key: SharedSecret,
    _ vault: [UInt8]
  ) throws(VaultFailure) -> [UInt8] {
    if let failure = leavingFailure { throw failure }
    let rows = try allowed.accounts.map { shown throws(VaultFailure) in
      let row = try account(withIdentifier: shown.id)
      guard row.name == shown.name, row.subject == shown.subject, row.binding == shown.binding
      else { throw .accountChanged }
      return row
    }
    let receipt = try random(Self.receiptCount)
    let transfer = try self.transfer(of: receipt)
    let (authority, caller) = (allowed.authority, allowed.caller)
    let file = try sealAccounts(rows, key, receipt: receipt) { seal throws(VaultFailure) in
      try openForPrivateVault(rows, authority, caller, each: seal)
    }
    // No box changes, but a store that does not know of the second holder is an old copy.
    try changeSealed {
      try store.setMeta(Self.handOverKey, to: transfer + vault + rows.flatMap(\.id))
      for row in rows {
        try recordExport(.begun, of: row, method: authority.method, caller)
      }
    } committed: {
      moving.beginHandOver(of: rows.map(\.id))
    }
    for row in rows { noticeReleased(row, by: authority, caller) }
    return file
  }

  /// Ends a handover: erases the accounts if the private vault has them, and uses them again
  /// otherwise.
  ///
  /// - Parameters:
  ///   - transfer: names the handover.
  ///   - receipt: shows that the private vault has opened the accounts; `nil` if it has none of
  ///     them.
  ///   - caller: the private engine.
  /// - Returns: whether there was this handover.
  /// - Throws: `invalidArgument` for a receipt of other accounts; nothing is changed then.
  package func endHandOver(
    _ transfer: [UInt8],
    receipt: SharedSecret?,
    caller: Caller
  ) async throws(VaultFailure) -> Bool {
    try demandCurrentStore()
    if let receipt {
      guard try self.transfer(digest: digest(of: receipt)) == transfer else {
        throw .invalidArgument("this receipt does not belong to this handover")
      }
    }
    guard try handOver(named: transfer) != nil else { return false }
    return try await withAllAccounts { _, _ in
    } _: { () throws(VaultFailure) in
      // Another call may have ended it in the meantime.
      guard let open = try self.handOver(named: transfer) else { return false }
      let rows = try self.accounts().filter { open.accounts.contains($0.id) }
      if receipt == nil {
        try self.giveUpHandOver(rows, caller)
      } else {
        try self.finishHandOver(rows, caller)
      }
      return true
    }
  }

  private func finishHandOver(_ rows: [AccountRow], _ caller: Caller) throws(VaultFailure) {
    try erase(rows) { row throws(VaultFailure) in
      try recordExport(.done, of: row, method: nil, caller)
    } _: { () throws(StorageError) in
      try store.setMeta(Self.handOverKey, to: nil)
    } committed: {
      moving.endHandOver()
    }
  }

  private func giveUpHandOver(_ rows: [AccountRow], _ caller: Caller) throws(VaultFailure) {
    try change {
      try store.setMeta(Self.handOverKey, to: nil)
      for row in rows { try recordExport(.refused, of: row, method: nil, caller) }
    }
    moving.endHandOver()
  }

  // MARK: - The record

  /// The handover that is not known to have ended; `nil` if there is none.
  package func openHandOver() throws(VaultFailure) -> OpenHandOver? {
    guard !isPrivate else { throw .refused("only the service can hand over accounts") }
    return try stored(try Self.storedHandOver(in: store))
  }

  private func handOver(named transfer: [UInt8]) throws(VaultFailure) -> OpenHandOver? {
    guard let open = try openHandOver(), open.transfer == transfer else { return nil }
    return open
  }

  /// The handover that the record of a store names.
  ///
  /// A partial record would omit accounts, and the service could use them.
  static func storedHandOver(in store: Store) throws(StorageError) -> OpenHandOver? {
    guard let value = try store.meta(handOverKey) else { return nil }
    let parts = try identifiers(in: value, least: 3)
    return OpenHandOver(transfer: parts[0], vault: parts[1], accounts: Array(parts.dropFirst(2)))
  }

  /// Leaves an account out of the open handover, inside a transaction.
  func dropFromHandOver(_ account: [UInt8]) throws(VaultFailure) {
    guard let open = try openHandOver() else { return }
    let rest = open.accounts.filter { $0 != account }
    let value = open.transfer + open.vault + rest.flatMap { $0 }
    try stored(try store.setMeta(Self.handOverKey, to: rest.isEmpty ? nil : value))
  }

  /// The name of a handover, which does not show its receipt.
  func transfer(of receipt: [UInt8]) throws(VaultFailure) -> [UInt8] {
    transfer(digest: try digest(receipt))
  }

  private func transfer(digest: [UInt8]) -> [UInt8] { Array(digest.prefix(Self.transferCount)) }

  func digest(of secret: SharedSecret) throws(VaultFailure) -> [UInt8] {
    try mappingErrors(to: .unexpected("no digest")) { try sha256(secret.bytes) }
  }

  private func recordExport(
    _ outcome: AuditOutcome,
    of row: AccountRow,
    method: String?,
    _ caller: Caller
  ) throws(VaultFailure) {
    let detail =
      outcome == .refused ? "into the private vault; it stays here" : "into the private vault"
    try record(.moved, outcome, row, by: caller, method: method, detail: detail)
  }
}
