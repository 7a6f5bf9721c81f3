internal import AuditLog
package import SecretMemory
internal import Storage

/// The row of `meta` that says that a transfer was taken.
struct TakenTransfer {
  let key: String
  /// The bytes that show it to the other vault; empty if it asks for none.
  let receipt: [UInt8]

  /// The receipt, and the new accounts if the other vault has to be told of them.
  func value(_ rows: [AccountRow]) -> [UInt8] {
    receipt.isEmpty ? [1] : receipt + rows.flatMap(\.id)
  }
}

// The service's side of a transfer. A row of `meta` names each transfer that was taken. One more
// names the last transfers that are refused, in the order in which the private vaults gave them up.
extension Vault {
  private static let droppedKey = "transfers-dropped"
  /// The most transfers whose refusal is remembered: it only has to outlast a message on its way.
  private static let mostDropped = 64

  /// The key of the row for a taken transfer.
  static func takenKey(_ transfer: [UInt8]) -> String {
    "transfer-taken:" + Hexadecimal.text(transfer)
  }

  /// Takes over the accounts that the engine of a private vault has sent.
  ///
  /// All of them are committed with the name of the transfer, so a second call with that name
  /// changes nothing. The private engine has asked for the presence check.
  ///
  /// - Parameters:
  ///   - transfer: names the transfer.
  ///   - key: opens the accounts.
  ///   - caller: the caller that has sent the accounts.
  /// - Throws: `refused` and `invalidArgument`; nothing is changed then.
  package func takeOver(
    _ transfer: [UInt8],
    _ key: SharedSecret,
    caller: Caller
  ) throws(VaultFailure) {
    try demandCurrentStore()
    try demandName(transfer)
    defer { dropBackup(from: caller.connection) }
    guard try !isTaken(transfer) else { return }
    guard try !droppedTransfers().contains(transfer) else {
      throw .refused("this transfer was given up: run 'thumblatch service import' again")
    }
    let backup = try opened(try moving.upload.whole(of: caller.connection), .key(key))
    // A transfer without accounts needs no row, which would stay.
    guard !backup.records.isEmpty else { return }
    let both = try taken(backup.records.map(\.name))
    guard both.isEmpty else { throw .namesInService(both) }
    try insertMoved(backup, TakenTransfer(key: Self.takenKey(transfer), receipt: []), caller)
  }

  /// Commits the accounts of another vault with the row that says that they were taken.
  func insertMoved(
    _ backup: OpenedBackup,
    _ taken: TakenTransfer,
    _ caller: Caller
  ) throws(VaultFailure) {
    let records = try demandRestorable(backup, skipExisting: false)
    // An account that is here stays the default one.
    let chosen = try accounts().isEmpty ? backup.chosen : nil
    try insert(
      records,
      RestoredRecord(event: .moved, method: nil, chosen: chosen, taken: taken),
      caller
    )
  }

  /// The names that accounts of this vault have already.
  func taken(_ names: [String]) throws(VaultFailure) -> [String] {
    var both: [String] = []
    for name in names where try accountIfAny(named: name) != nil { both.append(name) }
    return both
  }

  /// Refuses a transfer from now on, unless it was taken; returns whether it was.
  package func dropTransfer(_ transfer: [UInt8]) throws(VaultFailure) -> Bool {
    try demandCurrentStore()
    try demandName(transfer)
    guard try !isTaken(transfer) else { return true }
    let dropped = try droppedTransfers()
    guard !dropped.contains(transfer) else { return false }
    let kept = dropped.suffix(Self.mostDropped - 1) + [transfer]
    try change { try store.setMeta(Self.droppedKey, to: kept.flatMap { $0 }) }
    return false
  }

  private func demandName(_ transfer: [UInt8]) throws(VaultFailure) {
    guard transfer.count == Self.transferCount else {
      throw .invalidArgument("a transfer is named by \(Self.transferCount) bytes")
    }
  }

  private func isTaken(_ transfer: [UInt8]) throws(VaultFailure) -> Bool {
    try stored(try store.meta(Self.takenKey(transfer))) != nil
  }

  func droppedTransfers() throws(VaultFailure) -> [[UInt8]] {
    try stored(try Self.identifiers(in: try store.meta(Self.droppedKey) ?? []))
  }
}
