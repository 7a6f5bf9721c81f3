internal import AuditLog
internal import BackupFormat
package import Configuration
internal import Cryptography
internal import JSON
internal import Presence
internal import PresenceTerms
internal import SecretMemory
internal import Storage
internal import System

/// An account of a backup that is restored.
package struct RestoredAccount: Sendable {
  package let name: String
  package let provider: Provider
  /// Whether it needs no login.
  package let isSignedIn: Bool
  /// Whether the vault has an account of this name.
  package let exists: Bool
}

// A restore adds the accounts of a backup in one transaction. An account that is there is never
// replaced, so that no backup puts an old token, or another person, in its place.
extension Vault {
  /// Takes a part of the backup that the same connection restores afterwards.
  package func addToBackup(
    _ part: [UInt8],
    at offset: Int,
    caller: Caller
  ) throws(VaultFailure) {
    try moving.upload.add(part, at: offset, from: caller.connection, now: clock.boot)
  }

  /// Whether a client sends a backup.
  var isTakingBackup: Bool { !moving.upload.isEmpty }

  /// Drops the backup that a connection has sent.
  func dropBackup(from connection: UInt64) { moving.upload.forget(connection: connection) }

  /// Frees the memory of an upload that does not go on.
  package func expireUpload() { moving.upload.expire(at: clock.boot) }

  /// The accounts of the backup that was sent; nothing is changed.
  package func examineBackup(
    _ secret: BackupSecret,
    caller: Caller
  ) throws(VaultFailure) -> [RestoredAccount] {
    try opened(try moving.upload.whole(of: caller.connection), secret).records
      .map { record throws(VaultFailure) in try restored(record) }
  }

  /// Restores the accounts of the backup that was sent; needs the system password if the vault has
  /// accounts.
  ///
  /// - Parameters:
  ///   - secret: opens the backup.
  ///   - skipExisting: whether accounts that the vault has are left out; otherwise they are
  ///     refused.
  ///   - prompt: a check passed by password.
  ///   - caller: the caller that has sent the backup.
  /// - Returns: the accounts of the backup, also those that are left out.
  /// - Throws: `presenceNeeded`, `refused`, `invalidArgument`; nothing is changed then.
  package func restore(
    _ secret: BackupSecret,
    skipExisting: Bool,
    prompt: String?,
    caller: Caller
  ) async throws(VaultFailure) -> [RestoredAccount] {
    try demandCurrentStore()
    let file = try moving.upload.whole(of: caller.connection)
    let backup = try opened(file, secret)
    // Before the check, so that no password is asked for in vain.
    _ = try demandRestorable(backup, skipExisting: skipExisting)
    let hadAccounts = try !accounts().isEmpty
    if hadAccounts {
      let question = caller.question(
        .restore,
        detail: try shownNames(backup.records),
        binding: try digest(file)
      )
      try await spendPassword(for: question, by: prompt, caller)
    } else if let prompt {
      cancel(prompt, caller: caller)
    }
    let records = try demandRestorable(backup, skipExisting: skipExisting)
    let all = try backup.records.map { record throws(VaultFailure) in try restored(record) }
    let method = hadAccounts ? PresenceMethod.password.rawValue : nil
    try insert(
      records,
      RestoredRecord(
        event: .restored,
        method: method,
        // A vault in use keeps its default: programs that name no account get the same tokens.
        chosen: hadAccounts ? nil : backup.chosen,
        taken: nil
      ),
      caller
    )
    dropBackup(from: caller.connection)
    return all
  }

  // MARK: - What is in it

  /// An opened backup.
  struct OpenedBackup {
    let records: [BackupRecord]
    let chosen: String?
    /// Shows the service that these accounts were taken; `nil` if it asks for nothing.
    let receipt: [UInt8]?
  }

  func opened(
    _ file: [UInt8],
    _ secret: BackupSecret
  ) throws(VaultFailure) -> OpenedBackup {
    let header = try header(of: file)
    let boxes = try boxes(header, secret)
    let damaged = VaultFailure.invalidArgument("the backup is damaged; nothing was changed")
    let limit = try policy().accounts
    let most = max(limit, try accounts().count)
    // One box for the manifest, and one more to detect too many accounts.
    guard let parts = BackupBoxes.boxes(of: file, most: most + 2), let first = parts.first else {
      throw damaged
    }
    do {
      guard try boxes.fits(first) else {
        let what = header.lock == .recoveryCode ? "recovery code" : "passphrase"
        throw VaultFailure.invalidArgument(
          "this \(what) does not open the backup, or the backup is damaged"
        )
      }
      let manifest = try BackupManifest(try boxes.open(first, number: 0))
      // Opening more boxes than the vault may take would block a thread that all vaults share.
      guard manifest.accounts <= most else { throw accountLimit(limit) }
      guard manifest.accounts == parts.count - 1 else { throw damaged }
      var records: [BackupRecord] = []
      for (number, box) in parts.enumerated().dropFirst() {
        records.append(try BackupRecord(try boxes.open(box, number: number)))
      }
      guard Set(records.map(\.name)).count == records.count else { throw damaged }
      return OpenedBackup(
        records: records,
        chosen: manifest.chosen,
        receipt: manifest.receipt
      )
    } catch CryptographyError.memory(let error) {
      throw .unexpected("the backup cannot be opened: \(error)")
    } catch let failure as VaultFailure {
      throw failure
    } catch {
      throw damaged
    }
  }

  private func restored(_ record: BackupRecord) throws(VaultFailure) -> RestoredAccount {
    RestoredAccount(
      name: record.name,
      provider: record.provider,
      isSignedIn: record.token != nil,
      exists: try accountIfAny(named: record.name) != nil
    )
  }

  /// The names as a prompt shows them.
  private func shownNames(_ records: [BackupRecord]) throws(VaultFailure) -> String {
    let names = records.prefix(5).map(\.name).joined(separator: ", ")
    return records.count > 5 ? "\(names) and \(records.count - 5) more" : names
  }

  // MARK: - The transaction

  /// The records that become accounts.
  func demandRestorable(
    _ backup: OpenedBackup,
    skipExisting: Bool
  ) throws(VaultFailure) -> [BackupRecord] {
    var new: [BackupRecord] = []
    var known: [String] = []
    for record in backup.records {
      if try accountIfAny(named: record.name) != nil {
        known.append(record.name)
      } else {
        new.append(record)
      }
    }
    guard skipExisting || known.isEmpty else {
      throw .refused(
        "the vault has these accounts already: \(known.joined(separator: ", ")); --skip-existing"
          + " leaves them as they are"
      )
    }
    for record in new { try demandAllowed(record.provider) }
    try demandRoom(forAccounts: new.count)
    return new
  }

  /// The rest of the transaction that adds accounts.
  struct RestoredRecord {
    let event: AuditEvent
    /// How presence was shown; `nil` if that was not needed here.
    let method: String?
    /// The name of the default account.
    let chosen: String?
    /// The record of a transfer; `nil` for a backup.
    let taken: TakenTransfer?
  }

  func insert(
    _ records: [BackupRecord],
    _ note: RestoredRecord,
    _ caller: Caller
  ) throws(VaultFailure) {
    let rows = try records.map { record throws(VaultFailure) in try row(of: record) }
    try removeDefaultName()
    do throws(VaultFailure) {
      for row in rows {
        try stored(try SlotFile.create(in: directory, account: row.id))
        // An account of this name that was removed by hand may have left it behind.
        try removeTokenFile(of: row.name)
      }
      try changeSealed {
        for (row, life) in zip(rows, records.map(\.life)) {
          try store.insert(row)
          if let life, row.state == .signedIn { try keep(life.row(of: row.id)) }
          try record(
            note.event,
            .done,
            row,
            by: caller,
            method: note.method,
            detail: row.state == .signedIn ? "signed in" : "it has to sign in again"
          )
        }
        if let row = rows.first(where: { $0.name == note.chosen }) { try choose(row.id) }
        if let taken = note.taken { try store.setMeta(taken.key, to: taken.value(rows)) }
      }
    } catch {
      // After a failed commit it is not known what the store holds: the next start looks.
      if !hasLostItsStore {
        for row in rows where (try? accountIfAny(withIdentifier: row.id)) == .some(nil) {
          try? SlotFile.delete(in: directory, account: row.id)
        }
      }
      writeDefaultAccount()
      throw error
    }
    writeDefaultAccount()
  }

  private func row(of record: BackupRecord) throws(VaultFailure) -> AccountRow {
    var row = AccountRow(
      id: try random(16),
      name: record.name,
      owner: owner,
      provider: record.provider.name.text,
      providerSettings: [],
      binding: [],
      createdAt: record.createdAt
    )
    row.protection =
      (record.isProtected || protectsFromSignIn ? ProtectionClass.presence : .none).rawValue
    try bind(&row, to: record.provider, exportable: record.isExportable)
    row.subject = record.subject
    row.email = record.email
    row.displayName = record.displayName
    row.person = record.person
    guard let token = record.token else {
      // An account of generation 0 is one that was never signed in: the next start removes it.
      row.generation = 1
      return row
    }
    row.state = .signedIn
    row.refreshedAt = record.refreshedAt
    row.loginScope = record.loginScope
    row.missingScope = record.missingScope
    try sealNext(token.bytes, in: &row)
    return row
  }
}
