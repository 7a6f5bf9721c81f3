internal import AuditLog
internal import Cryptography
internal import SecretMemory
internal import Storage

/// The key of an export that a client of a private vault prepares.
struct PreparedExport {
  let key: SharedSecret
  /// The connection of that client.
  let connection: UInt64
}

// The private vault's side of an export: HandOver.swift has the steps.
extension Vault {
  /// Makes the key of an export, for `exportFromService` on the same connection.
  ///
  /// - Returns: its SHA-256. The key itself goes only to the service.
  /// - Throws: `refused` for names that the vault has, and if there is no room.
  package func prepareExport(
    _ names: [String],
    caller: Caller
  ) throws(VaultFailure) -> [UInt8] {
    try demandCurrentStore()
    _ = try serviceToExportFrom()
    try demandNew(names)
    try demandRoom(forAccounts: names.count)
    let key = try transferSecret()
    moving.prepare(PreparedExport(key: key, connection: caller.connection))
    return try digest(of: key)
  }

  /// Fetches the accounts that a passed check has allowed in the service, and has them erased
  /// there.
  ///
  /// - Parameters:
  ///   - socket: the path of the service's socket; `nil` for the usual one.
  ///   - caller: the caller that has prepared the key.
  /// - Returns: the accounts that are here now.
  /// - Throws: `refused`, `providerUnavailable`; if the service may have begun, it says what to do.
  package func exportFromService(
    socket: String?,
    caller: Caller
  ) async throws(VaultFailure) -> [MovedAccount] {
    try demandCurrentStore()
    try demandNoTransfer()
    let service = try serviceToExportFrom()
    guard let prepared = moving.takePrepared(by: caller.connection) else {
      throw .refused("the export was not prepared: run 'thumblatch service export' again")
    }
    return try await whileExporting { () async throws(VaultFailure) in
      let vault = self.identifier
      let taken: [UInt8]
      do throws(VaultFailure) {
        let file = try await blocking { () throws(VaultFailure) in
          try service.handOver(prepared.key, vault: vault, socket: socket)
        }
        taken = try self.take(file, prepared.key, caller)
      } catch {
        try await self.giveUpExport(after: error, service, socket)
        throw error
      }
      return try await self.finishExport(taken, service, socket)
    }
  }

  /// Ends an export that an earlier call has not finished.
  ///
  /// If this vault has the accounts, the service erases them. Otherwise it uses them again.
  ///
  /// - Parameters:
  ///   - socket: the path of the service's socket; `nil` for the usual one.
  ///   - cancel: whether it is refused if this vault has the accounts.
  /// - Returns: the accounts that are here now, and whether the service uses its accounts again.
  /// - Throws: `refused` for a handover to another vault; `providerUnavailable` without an answer.
  package func endExport(
    socket: String?,
    cancel: Bool
  ) async throws(VaultFailure) -> (moved: [MovedAccount], freed: Bool) {
    try demandCurrentStore()
    let service = try serviceToExportFrom()
    return try await whileExporting { () async throws(VaultFailure) in
      guard let open = try await self.ownHandOver(service, socket) else { return ([], false) }
      guard try self.receipt(of: open.transfer) != nil else {
        return ([], try await self.free(open, service, socket))
      }
      guard !cancel else {
        throw .refused(
          "your private vault has the accounts already: finish it with 'thumblatch service export'"
        )
      }
      return (try await self.finishExport(open.transfer, service, socket), false)
    }
  }

  // MARK: - The steps

  /// Commits the accounts, with the receipt that the service asks for; returns the name of the
  /// handover.
  private func take(
    _ file: [UInt8],
    _ key: SharedSecret,
    _ caller: Caller
  ) throws(VaultFailure) -> [UInt8] {
    let backup = try opened(file, .key(key))
    guard let receipt = backup.receipt, receipt.count == Self.receiptCount else {
      throw .refused("the service sent no receipt with the accounts")
    }
    try demandNew(backup.records.map(\.name))
    let transfer = try self.transfer(of: receipt)
    try insertMoved(backup, TakenTransfer(key: Self.takenKey(transfer), receipt: receipt), caller)
    return transfer
  }

  /// Shows the service that this vault has the accounts, so that it erases them.
  private func finishExport(
    _ transfer: [UInt8],
    _ service: any ServiceTransfer,
    _ socket: String?
  ) async throws(VaultFailure) -> [MovedAccount] {
    guard let receipt = try receipt(of: transfer) else {
      throw .unexpected("the record of the export is missing")
    }
    let secret = SharedSecret(
      try mappingErrors(to: .unexpected("no memory")) { try SecretBytes(copying: receipt.bytes) }
    )
    let ended: Bool
    do throws(VaultFailure) {
      ended = try await blocking { () throws(VaultFailure) in
        try service.endHandOver(transfer: transfer, receipt: secret, socket: socket)
      }
    } catch {
      throw .exportUnfinished(by: error)
    }
    let moved = try accounts().filter { receipt.accounts.contains($0.id) }.map(MovedAccount.init)
    try change { try store.setMeta(Self.takenKey(transfer), to: nil) }
    guard ended else {
      throw .refused(
        "the service uses these accounts again, and the private vault has them too: remove one of the"
          + " two: \(moved.map(\.name).joined(separator: ", "))"
      )
    }
    return moved
  }

  /// Lets the service use its accounts again if the call that failed has begun a handover.
  private func giveUpExport(
    after failure: VaultFailure,
    _ service: any ServiceTransfer,
    _ socket: String?
  ) async throws(VaultFailure) {
    // After a failed commit it is not known what the store holds: the next call looks.
    guard !hasLostItsStore else { throw .exportInterrupted(by: failure) }
    do throws(VaultFailure) {
      guard let open = try await ownHandOver(service, socket),
        try receipt(of: open.transfer) == nil
      else { return }
      _ = try await free(open, service, socket)
    } catch {
      throw .exportInterrupted(by: failure)
    }
  }

  private func free(
    _ open: OpenHandOver,
    _ service: any ServiceTransfer,
    _ socket: String?
  ) async throws(VaultFailure) -> Bool {
    try await blocking { () throws(VaultFailure) in
      try service.endHandOver(transfer: open.transfer, receipt: nil, socket: socket)
    }
  }

  // MARK: - Parts

  private func serviceToExportFrom() throws(VaultFailure) -> any ServiceTransfer {
    guard let service = moving.service else {
      throw .refused("only a private vault can receive accounts from the service")
    }
    return service
  }

  private func demandNew(_ names: [String]) throws(VaultFailure) {
    let both = try taken(names)
    guard both.isEmpty else {
      throw .refused(
        "your private vault has these accounts already: \(both.joined(separator: ", ")); rename them"
          + " in one of the two vaults"
      )
    }
  }

  /// The open handover of the service to this vault; `nil` if there is none.
  private func ownHandOver(
    _ service: any ServiceTransfer,
    _ socket: String?
  ) async throws(VaultFailure) -> OpenHandOver? {
    let open = try await blocking { () throws(VaultFailure) in
      try service.openHandOver(socket: socket)
    }
    guard let open else { return nil }
    guard open.vault == identifier else {
      throw .refused(
        "the accounts are on their way into another private vault: name its directory in"
          + " THUMBLATCH_STATE_DIR, or remove them from the service with 'thumblatch account remove'"
      )
    }
    return open
  }

  /// The receipt of accounts that were taken, and the accounts; `nil` if they were not taken.
  private func receipt(
    of transfer: [UInt8]
  ) throws(VaultFailure) -> (bytes: [UInt8], accounts: [[UInt8]])? {
    guard let value = try stored(try store.meta(Self.takenKey(transfer))) else { return nil }
    let rest = Array(value.dropFirst(Self.receiptCount))
    // Without the receipt, the service would use the accounts again.
    let accounts = try stored(try Self.identifiers(in: rest, least: 1))
    return (Array(value.prefix(Self.receiptCount)), accounts)
  }

  /// Runs a step while no other one works on an export: only then it is known that no accounts are
  /// fetched.
  private func whileExporting<Value>(
    _ body: () async throws(VaultFailure) -> Value
  ) async throws(VaultFailure) -> Value {
    guard moving.beginExporting() else { throw .busy("another export runs now") }
    defer { moving.endExporting() }
    return try await body()
  }
}

extension VaultFailure {
  /// The service may still block the use of the accounts, and this vault has none of them.
  fileprivate static func exportInterrupted(by failure: VaultFailure) -> VaultFailure {
    .providerUnavailable(
      "the export was interrupted: finish it with 'thumblatch service export', or go back with"
        + " --cancel\(failure.reasonOfMove)"
    )
  }

  /// This vault has the accounts, and the service does not know it.
  fileprivate static func exportUnfinished(by failure: VaultFailure) -> VaultFailure {
    .providerUnavailable(
      "the private vault has the accounts, and the service has not erased its own yet: run"
        + " 'thumblatch service export' again\(failure.reasonOfMove)"
    )
  }
}
