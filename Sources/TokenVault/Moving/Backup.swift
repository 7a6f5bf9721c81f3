internal import AuditLog
internal import BackupFormat
internal import Configuration
internal import JSON
internal import MachineKey
internal import Presence
internal import PresenceTerms
internal import SecretMemory
internal import Storage

/// An account in a backup.
package struct BackedUpAccount: Sendable, Equatable {
  package let name: String
  package let provider: String
  /// Why the account has to sign in again after a restore; `nil` if the backup has its refresh
  /// token.
  package let reason: String?
}

/// The refresh token of an account in a backup.
enum BackedUpToken {
  case present(SharedSecret)
  /// The account has to sign in again after a restore.
  case absent(reason: String)

  var token: SharedSecret? { if case .present(let token) = self { token } else { nil } }
  var reason: String? { if case .absent(let reason) = self { reason } else { nil } }
}

/// A part of a backup: the header with the manifest, or an account.
package struct BackupPart: Sendable {
  package let account: BackedUpAccount?
  package let bytes: [UInt8]
}

// A backup works on another machine, and it may be years old. So it carries only refresh tokens
// that may leave the vault, at providers that are known to keep them: a token that was replaced
// since would be treated as stolen. Access tokens, static secrets, prints, keys and the device
// secret stay here.
extension Vault {
  /// Makes an encrypted backup of all accounts; needs the system password.
  ///
  /// The records of the audit log are committed before any byte is returned.
  ///
  /// - Parameters:
  ///   - bytes: the header of the file.
  ///   - secret: opens the backup later. A recovery code must open a slot of the machine key, so
  ///     that no mistyped code is used.
  ///   - prompt: a check passed by password.
  ///   - caller: the caller that gets the backup.
  /// - Returns: the parts of the file, in their order.
  /// - Throws: `presenceNeeded`; `vaultUnsafe` if a box does not open: nothing is returned then.
  package func backup(
    header bytes: [UInt8],
    _ secret: BackupSecret,
    prompt: String?,
    caller: Caller
  ) async throws(VaultFailure) -> [BackupPart] {
    try demandCurrentStore()
    let header = try header(of: bytes)
    guard header.encoded == bytes else { throw .invalidArgument("bytes follow the header") }
    _ = try boxes(header, secret)
    if case .code(let typed) = secret { try demandOpening(try recoveryCode(typed)) }
    let proof = try await proof(of: caller.question(.backup), by: prompt, caller)
    let authority = Authority(proof)
    return try await withAllAccounts { identifier, slot throws(VaultFailure) in
      _ = try await self.recover(identifier, slot)
    } _: { () throws(VaultFailure) in
      try self.sealBackup(header, secret, authority, caller)
    }
  }

  private func demandOpening(_ code: RecoveryCode) throws(VaultFailure) {
    guard let slots = machineKeySlots else { throw .noMachineKey }
    guard try slots.isOpened(by: code) else {
      throw .invalidArgument(
        "this code opens no slot of this vault: type the current recovery code"
      )
    }
  }

  private func sealBackup(
    _ header: BackupHeader,
    _ secret: BackupSecret,
    _ authority: Authority,
    _ caller: Caller
  ) throws(VaultFailure) -> [BackupPart] {
    let boxes = try boxes(header, secret)
    // A first sign-in that is not finished has no account to restore.
    let accounts = try self.accounts().filter { $0.generation > 0 }
    let chosen = try chosenName()
    let manifest = BackupManifest(accounts: accounts.count, chosen: chosen)
    var parts = [
      BackupPart(
        account: nil,
        bytes: header.encoded + (try sealed(manifest.object, 0, boxes))
      )
    ]
    var released: [AccountRow] = []
    try openForBackup(accounts, authority, caller) { row, found throws(VaultFailure) in
      let record = BackupRecord(row, try provider(of: row), found.token)
      let account = BackedUpAccount(
        name: row.name,
        provider: row.provider,
        reason: found.reason
      )
      let bytes = try sealed(record.object, parts.count, boxes)
      parts.append(BackupPart(account: account, bytes: bytes))
      if found.token != nil { released.append(row) }
    }
    guard parts.reduce(0, { $0 + $1.bytes.count }) <= BackupHeader.mostFile else {
      throw .refused("the backup would have more than \(BackupHeader.mostFile >> 20) MiB")
    }
    try commitBackup(released, accounts.count, caller)
    for row in released { noticeReleased(row, by: authority, caller) }
    return parts
  }

  private func commitBackup(
    _ released: [AccountRow],
    _ count: Int,
    _ caller: Caller
  ) throws(VaultFailure) {
    // No box changes, but a store that does not know of the second holder is an old copy.
    try changeSealed(isSealed: !released.isEmpty) {
      let detail = "\(count) accounts, \(released.count) refresh tokens"
      try recordByPassword(.backup, by: caller, detail: detail)
      for row in released {
        try record(
          .backup,
          .done,
          row,
          by: caller,
          method: PresenceMethod.password.rawValue,
          detail: "its refresh token is in the backup"
        )
      }
    }
  }

  func sealed(
    _ object: JSONObject,
    _ number: Int,
    _ boxes: borrowing BackupBoxes
  ) throws(VaultFailure) -> [UInt8] {
    do {
      return try boxes.seal(object, number: number)
    } catch {
      throw .unexpected("the backup cannot be sealed: \(error)")
    }
  }

  /// Why a backup does not carry an account's refresh token; `nil` if it does.
  func whyNotBackedUp(_ account: AccountRow) throws(VaultFailure) -> String? {
    let provider = try provider(of: account)
    guard provider.kind != .static else { return "its secret stays in the vault" }
    guard account.hasUsableToken else {
      return account.state == .loginRequired ? "it needs a login" : "it is signed out"
    }
    guard try policy().exportable != .never else {
      return "no refresh token may leave the vault\(try origin(of: .exportable))"
    }
    guard account.exportable else { return "it is not exportable" }
    guard !isLeaving(account) else {
      return "it is on its way into a private vault"
    }
    if let doubt = try doubt(about: account) { return doubt }
    guard provider.refreshReuse != .revokes, try steadiness(of: account) != .replaced else {
      return "its provider replaces refresh tokens"
    }
    guard try isKnownSteady(account) else {
      return "no refresh has shown yet whether its provider replaces refresh tokens"
    }
    return nil
  }
}
