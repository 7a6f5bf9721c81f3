internal import AuditLog
internal import BackupFormat
internal import Cryptography
internal import Presence
internal import PresenceTerms
internal import SecretMemory
internal import Storage
internal import System

/// Adds an account to the boxes of a transfer; its token is `nil` if it is signed out.
typealias TransferSeal = (AccountRow, SharedSecret?) throws(VaultFailure) -> Void

/// An account that has moved to another vault.
package struct MovedAccount: Sendable, Equatable {
  package let name: String
  package let provider: String
  /// Whether it needs no login.
  package let isSignedIn: Bool
}

extension MovedAccount {
  init(_ row: AccountRow) {
    self.init(name: row.name, provider: row.provider, isSignedIn: row.hasUsableToken)
  }
}

extension AccountRow {
  /// Whether the refresh token is here and its grant has not ended.
  var hasUsableToken: Bool { sealedRefreshToken != nil && state == .signedIn }
}

// A transfer of a private vault into the service. The steps:
//  1. Work on no account any more, and seal all of them under a fresh key.
//  2. Commit a record that names the transfer, its accounts and the service's socket.
//  3. Send them. The service commits all, together with the name of the transfer.
//  4. Erase the accounts and the record. While there is a record, no refresh token is opened for
//     another
// use. After a kill between two steps, the same call begins again with the record: the service
// knows a transfer that it has committed. If step 3 fails, the engine asks the service to refuse
// this transfer from then on. Only its answer frees the accounts here, because a message may still
// be on its way. No answer is needed if none was sent.
extension Vault {
  /// Moves all accounts into the service of the machine.
  ///
  /// - Parameters:
  ///   - socket: the path of the service's socket; `nil` for the usual one.
  ///   - prompt: a passed presence check to spend.
  ///   - caller: the caller that asks.
  /// - Returns: the accounts that were here.
  /// - Throws: `presenceNeeded`; `refused` if the service has none of the accounts, and all is as
  ///   before.
  package func moveToService(
    socket: String?,
    prompt: String?,
    caller: Caller
  ) async throws(VaultFailure) -> [MovedAccount] {
    try demandCurrentStore()
    guard let service = moving.service else {
      throw .refused("only a private vault can be moved into the service")
    }
    if !moving.isTransferring, try accounts().isEmpty {
      if let prompt { cancel(prompt, caller: caller) }
      return []
    }
    // Before the check, so that no person is asked in vain.
    try demandSameService(socket)
    try await demandRoomInService(service, socket)
    let proof = try await proof(of: caller.question(.moveToService), by: prompt, caller)
    let authority = Authority(proof)
    return try await withAllAccounts { identifier, slot throws(VaultFailure) in
      _ = try await self.recover(identifier, slot)
    } _: { () async throws(VaultFailure) in
      try await self.move(through: service, socket, authority, caller)
    }
  }

  private func move(
    through service: any ServiceTransfer,
    _ socket: String?,
    _ authority: Authority,
    _ caller: Caller
  ) async throws(VaultFailure) -> [MovedAccount] {
    let known = try openTransfer()
    let socket = if let known { known.socket } else { socket }
    let rows = try accounts().filter { row in
      known?.accounts.contains(row.id) ?? (row.generation > 0)
    }
    let key = try transferSecret()
    for row in rows { try demandClearAnswer(row) }
    let file = try sealAccounts(rows, key) { seal throws(VaultFailure) in
      try openForService(rows, authority, caller, each: seal)
    }
    let transfer =
      if let known { known.identifier } else { try beginTransfer(rows, socket, authority, caller) }
    let failure = try await blocking { () -> TransferFailure? in
      do throws(TransferFailure) {
        try service.send(file, key: key, transfer: transfer, socket: socket)
        return nil
      } catch {
        return error
      }
    }
    if let failure {
      var isTaken = false
      if known != nil || failure.mayBeTaken {
        do throws(VaultFailure) {
          isTaken = try await drop(transfer, service, socket)
        } catch {
          throw .interrupted(by: failure.reason)
        }
      }
      guard isTaken else {
        try giveUpTransfer(rows, method: authority.method, caller)
        throw failure.reason
      }
    }
    try endTransfer(rows, authority, caller)
    return rows.map(MovedAccount.init)
  }

  /// Refuses names that the service has, unless it may have them from this transfer.
  private func demandRoomInService(
    _ service: any ServiceTransfer,
    _ socket: String?
  ) async throws(VaultFailure) {
    let names = try await blocking { () throws(VaultFailure) in
      try service.accountNames(socket: socket)
    }
    guard !moving.isTransferring else { return }
    let known = Set(names)
    let both = try accounts().map(\.name).filter(known.contains)
    guard both.isEmpty else { throw .namesInService(both) }
  }

  /// Refuses another service than that of an open transfer, which may have the accounts.
  private func demandSameService(_ socket: String?) throws(VaultFailure) {
    guard let open = try openTransfer(), open.socket != socket else { return }
    throw .refused(
      "the move into another service has begun, at \(open.socket ?? "its usual socket"): finish it there"
    )
  }

  func transferSecret() throws(VaultFailure) -> SharedSecret {
    do throws(SecretMemoryError) {
      return SharedSecret(try SecretBytes.random(count: SealingKey.count))
    } catch {
      throw .unexpected("no key for the transfer: \(error)")
    }
  }

  private func demandClearAnswer(_ row: AccountRow) throws(VaultFailure) {
    guard let doubt = try doubt(about: row) else { return }
    throw .refused("\(row.name) cannot be moved: \(doubt)")
  }

  /// The accounts in the form of a backup, with every refresh token that is still valid.
  ///
  /// - Parameters:
  ///   - rows: the accounts.
  ///   - key: opens the result.
  ///   - receipt: what the other vault shows when it has the accounts.
  ///   - open: opens the tokens at the gate, and lends each to a seal.
  /// - Returns: the header and the boxes.
  /// - Throws: what `open` throws, and `refused` for too many accounts.
  func sealAccounts(
    _ rows: [AccountRow],
    _ key: SharedSecret,
    receipt: [UInt8]? = nil,
    _ open: (TransferSeal) throws(VaultFailure) -> Void
  ) throws(VaultFailure) -> [UInt8] {
    let header = BackupHeader(
      .passphrase(.standard),
      salt: try random(BackupHeader.saltCount)
    )
    let boxes = try boxes(header, .key(key))
    let chosen = try chosenName()
    let manifest = BackupManifest(
      accounts: rows.count,
      chosen: rows.contains { $0.name == chosen } ? chosen : nil,
      receipt: receipt
    )
    var file = header.encoded + (try sealed(manifest.object, 0, boxes))
    var count = 0
    try open { row, token throws(VaultFailure) in
      count += 1
      let life = try self.token(of: row).flatMap { SealedTokenLife($0) }
      let record = BackupRecord(row, try provider(of: row), token, life: life)
      file += try sealed(record.object, count, boxes)
    }
    guard file.count <= BackupHeader.mostFile else {
      throw .refused("the accounts would have more than \(BackupHeader.mostFile >> 20) MiB")
    }
    return file
  }

  // MARK: - The steps

  private func beginTransfer(
    _ rows: [AccountRow],
    _ socket: String?,
    _ authority: Authority,
    _ caller: Caller
  ) throws(VaultFailure) -> [UInt8] {
    let transfer = try random(Self.transferCount)
    try change {
      try store.setMeta(Self.transferKey, to: transfer + rows.flatMap(\.id))
      try store.setMeta(Self.transferSocketKey, to: socket.map { Array($0.utf8) })
      for row in rows {
        try recordMove(.begun, of: row, method: authority.method, caller)
      }
    }
    moving.beginTransfer()
    return transfer
  }

  /// The service has all of the accounts, so they end here.
  private func endTransfer(
    _ rows: [AccountRow],
    _ authority: Authority,
    _ caller: Caller
  ) throws(VaultFailure) {
    try erase(rows) { row throws(VaultFailure) in
      try recordMove(.done, of: row, method: authority.method, caller)
    } _: { () throws(StorageError) in
      try forgetTransfer()
    } committed: {
      moving.endTransfer()
    }
  }

  /// Erases accounts that another vault has, in one transaction.
  ///
  /// - Parameters:
  ///   - rows: the accounts.
  ///   - note: records the end of each, inside the transaction.
  ///   - forget: removes the record of the transfer, inside the transaction.
  ///   - committed: is called after the commit.
  /// - Throws: failures of the store, and what `note` and `forget` throw.
  func erase(
    _ rows: [AccountRow],
    _ note: (AccountRow) throws(VaultFailure) -> Void,
    _ forget: () throws(StorageError) -> Void,
    committed: () -> Void
  ) throws(VaultFailure) {
    for row in rows { try removeTokenFile(of: row.name) }
    try removeDefaultName()
    try changeSealed {
      for row in rows {
        try unchoose(row.id)
        try store.deleteAccount(id: row.id)
        try forgetSteadiness(of: row.id)
        try forgetImport(of: row.id)
        try note(row)
      }
      try forget()
    } committed: {
      for row in rows { forgetTokens(of: row.id) }
      committed()
    }
    for row in rows {
      closeWindows(ofDeleted: row.id)
      try? SlotFile.delete(in: directory, account: row.id)
    }
    writeDefaultAccount()
    try emptyLog()
  }
}
