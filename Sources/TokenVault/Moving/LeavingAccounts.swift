internal import Configuration
internal import Storage

/// An account of the service, and whether it may move into the private vault of its user.
package struct ExportableAccount: Sendable, Equatable {
  package let name: String
  package let provider: String
  /// Why it stays; `nil` if it may move.
  package let reason: String?
}

// What the service refuses while a private vault may have some of its accounts. Two vaults would
// otherwise use the same refresh tokens.
extension Vault {
  /// The failure that says what to do while it is not known if a private vault has accounts.
  var leavingFailure: VaultFailure? {
    guard !moving.leaving.isEmpty else { return nil }
    let names = ((try? accounts()) ?? []).filter { moving.leaving.contains($0.id) }.map(\.name)
    return Self.isLeaving(names.joined(separator: ", "))
  }

  /// What the status says about such an account.
  static let leavingCause = "\(leavingProblem); \(leavingRemedy)"

  private static let leavingProblem =
    "on the way into the private vault, after an interrupted call"
  static let leavingRemedy =
    "finish it: thumblatch service export; or go back: thumblatch service export --cancel"

  private static func isLeaving(_ names: String) -> VaultFailure {
    .vaultUnsafe("\(leavingProblem): \(names)", hint: VaultHint(leavingRemedy))
  }

  /// Whether a private vault may have an account.
  func isLeaving(_ account: AccountRow) -> Bool { moving.leaving.contains(account.id) }

  /// Refuses an account that a private vault may have.
  func demandNotLeaving(_ account: AccountRow) throws(VaultFailure) {
    guard isLeaving(account) else { return }
    throw Self.isLeaving(account.name)
  }

  /// Refuses while a move of accounts is open, in either direction.
  func demandNoMove() throws(VaultFailure) {
    try demandNoTransfer()
    if let failure = leavingFailure { throw failure }
  }

  /// Leaves a removed account out of the handover, inside the transaction that removes it.
  func forgetLeaving(_ account: [UInt8]) throws(VaultFailure) {
    guard moving.leaving.contains(account) else { return }
    try dropFromHandOver(account)
  }

  /// The same once that transaction is committed.
  func noteLeavingForgotten(_ account: [UInt8]) { moving.forget(account) }

  // MARK: - What may move

  /// The accounts, and why each may not move into the private vault of the user.
  ///
  /// - Throws: `refused` if the policy lets no account out.
  package func exportableAccounts() throws(VaultFailure) -> [ExportableAccount] {
    try demandExports()
    return try accounts().filter { $0.generation > 0 }.map { row throws(VaultFailure) in
      ExportableAccount(name: row.name, provider: row.provider, reason: try whyNotExported(row))
    }
  }

  func demandExports() throws(VaultFailure) {
    guard !isPrivate else { throw .refused("only the service can hand over accounts") }
    try demandMayLeave()
    guard try policy().privateVaults != .never else {
      throw .refused("private vaults are not allowed\(setting(.privateVaults))")
    }
  }

  /// Refuses an account that must stay in the service.
  func demandExportable(_ account: AccountRow) throws(VaultFailure) {
    guard let reason = try whyNotExported(account) else { return }
    throw .refused("\(account.name) stays in the service: \(reason)")
  }

  private func whyNotExported(_ account: AccountRow) throws(VaultFailure) -> String? {
    // This also checks the record: the box is bound to whether the account is exportable.
    let provider = try provider(of: account)
    guard provider.kind != .static else { return "its secret stays in the vault" }
    guard account.exportable else { return "it is not exportable" }
    guard try policy().exportable != .never else {
      return "no refresh token may leave the vault\(try origin(of: .exportable))"
    }
    guard try isAllowed(provider) else {
      return "its provider is not allowed\(try origin(of: .providers))"
    }
    guard !isLeaving(account) else { return "an earlier export has not ended" }
    return try doubt(about: account)
  }
}
