internal import AuditLog
package import SecretMemory
internal import Storage

/// Why a transfer failed.
package struct TransferFailure: Error {
  package let reason: VaultFailure
  /// Whether the service may have the accounts anyway.
  package let mayBeTaken: Bool

  package init(_ reason: VaultFailure, mayBeTaken: Bool) {
    self.reason = reason
    self.mayBeTaken = mayBeTaken
  }
}

/// Reaches the service of the machine for a private vault; each function blocks.
///
/// `socket` is the path of the service's socket; `nil` is the usual one. Each function first checks
/// that root has bound it.
package protocol ServiceTransfer: Sendable {
  /// The names of the accounts that the service has for this user.
  func accountNames(socket: String?) throws(VaultFailure) -> [String]

  /// Sends the accounts, sealed under a key that only this transfer has.
  func send(
    _ accounts: [UInt8],
    key: SharedSecret,
    transfer: [UInt8],
    socket: String?
  ) throws(TransferFailure)

  /// Asks the service to refuse a transfer from now on, unless it has accepted it already.
  ///
  /// - Returns: whether the service has the accounts.
  func drop(transfer: [UInt8], socket: String?) throws(VaultFailure) -> Bool

  /// The handover of the service that is not known to have ended; `nil` if there is none.
  func openHandOver(socket: String?) throws(VaultFailure) -> OpenHandOver?

  /// Fetches the accounts that a passed check has allowed, sealed under the key that it was bound
  /// to.
  func handOver(
    _ key: SharedSecret,
    vault: [UInt8],
    socket: String?
  ) throws(VaultFailure) -> [UInt8]

  /// Ends a handover; without a receipt, the service uses its accounts again.
  ///
  /// - Returns: whether there was this handover.
  func endHandOver(
    transfer: [UInt8],
    receipt: SharedSecret?,
    socket: String?
  ) throws(VaultFailure) -> Bool
}

// The private vault keeps a record of a transfer in `meta`. It exists from the moment in which the
// service may have the accounts until they are erased, or the service has said that it refuses
// them.
extension Vault {
  /// The bytes that name a transfer, or an account.
  static let transferCount = 16
  static let transferKey = "transfer"
  static let transferSocketKey = "transfer-socket"

  /// A transfer that has begun and is not known to have ended.
  struct OpenTransfer {
    let identifier: [UInt8]
    let accounts: [[UInt8]]
    let socket: String?
  }

  /// The transfer that an earlier call has not finished; `nil` if there is none.
  func openTransfer() throws(VaultFailure) -> OpenTransfer? {
    guard let value = try stored(try store.meta(Self.transferKey)) else { return nil }
    let parts = try stored(try Self.identifiers(in: value, least: 1))
    return OpenTransfer(
      identifier: parts[0],
      accounts: Array(parts.dropFirst()),
      socket: try stored(try store.meta(Self.transferSocketKey))
        .map { String(decoding: $0, as: UTF8.self) }
    )
  }

  /// The identifiers that a row of `meta` holds one after the other.
  ///
  /// - Throws: `damaged` if one is cut off, or if there are fewer than `count`.
  static func identifiers(
    in bytes: [UInt8],
    least count: Int = 0
  ) throws(StorageError) -> [[UInt8]] {
    guard bytes.count % transferCount == 0, bytes.count >= count * transferCount else {
      throw .damaged("the record of a move of accounts")
    }
    return stride(from: 0, to: bytes.count, by: transferCount)
      .map { Array(bytes.dropFirst($0).prefix(transferCount)) }
  }

  /// Frees the accounts of an open transfer, if the service has none of them.
  ///
  /// - Returns: whether there was an open transfer.
  /// - Throws: `refused` if the service has the accounts, and if it does not answer.
  package func cancelTransfer(caller: Caller) async throws(VaultFailure) -> Bool {
    try demandCurrentStore()
    guard let service = moving.service, try openTransfer() != nil else { return false }
    return try await withAllAccounts { _, _ in
    } _: { () async throws(VaultFailure) in
      // A call may have ended it in the meantime.
      guard let open = try self.openTransfer() else { return false }
      guard try await !self.drop(open.identifier, service, open.socket) else {
        throw .refused(
          "the service has the accounts already: finish it with 'thumblatch service import'"
        )
      }
      let rows = try self.accounts().filter { open.accounts.contains($0.id) }
      try self.giveUpTransfer(rows, method: nil, caller)
      return true
    }
  }

  /// Tells the service to refuse a transfer; returns whether it has taken it.
  func drop(
    _ transfer: [UInt8],
    _ service: any ServiceTransfer,
    _ socket: String?
  ) async throws(VaultFailure) -> Bool {
    try await blocking { () throws(VaultFailure) in
      try service.drop(transfer: transfer, socket: socket)
    }
  }

  /// The service has none of the accounts and will accept none, so nothing has changed.
  func giveUpTransfer(
    _ rows: [AccountRow],
    method: String?,
    _ caller: Caller
  ) throws(VaultFailure) {
    try change {
      try forgetTransfer()
      for row in rows {
        try recordMove(.refused, of: row, method: method, caller)
      }
    }
    moving.endTransfer()
  }

  /// Records a step of a transfer, inside its transaction.
  func recordMove(
    _ outcome: AuditOutcome,
    of row: AccountRow,
    method: String?,
    _ caller: Caller
  ) throws(VaultFailure) {
    let detail = outcome == .refused ? "into the service; it stays here" : "into the service"
    try record(.moved, outcome, row, by: caller, method: method, detail: detail)
  }

  /// Removes the record of a transfer, inside the transaction that ends it.
  func forgetTransfer() throws(StorageError) {
    try store.setMeta(Self.transferKey, to: nil)
    try store.setMeta(Self.transferSocketKey, to: nil)
  }

  // MARK: - While it is open

  /// Whether this is the vault of a user's own engine, which reaches the service.
  var isPrivate: Bool { moving.service != nil }

  /// The failure that a call gets while it is not known if the service has the accounts.
  var transferFailure: VaultFailure? {
    guard moving.isTransferring else { return nil }
    return .vaultUnsafe(
      "the accounts are on their way into the service, and a call was interrupted",
      hint: "finish it: thumblatch service import; or go back: thumblatch service import --cancel"
    )
  }

  /// Refuses while it is not known if the service has the accounts.
  ///
  /// Two vaults would otherwise use the same refresh tokens.
  func demandNoTransfer() throws(VaultFailure) {
    if let failure = transferFailure { throw failure }
  }

  /// Refuses a call if the store is an old copy, or its accounts are on their way into the service.
  package func demandUsable(forTransfer: Bool) throws(VaultFailure) {
    try demandCurrentStore()
    if !forTransfer { try demandNoTransfer() }
  }
}

extension VaultFailure {
  static func namesInService(_ names: [String]) -> VaultFailure {
    .refused(
      "the service has these accounts already: \(names.joined(separator: ", ")); rename them in one of"
        + " the two vaults"
    )
  }

  /// A transfer that stays open, because the service does not say if it has the accounts.
  static func interrupted(by failure: VaultFailure) -> VaultFailure {
    .providerUnavailable(
      "the service does not say if it has the accounts, and they are unusable until then: finish it"
        + " with 'thumblatch service import', or go back with --cancel\(failure.reasonOfMove)"
    )
  }

  /// The rest of a sentence about a move that failed.
  var reasonOfMove: String {
    switch self {
    case .providerUnavailable(let message, _, _), .refused(let message),
      .vaultUnsafe(let message, _):
      "; \(message)"
    default: ""
    }
  }
}
