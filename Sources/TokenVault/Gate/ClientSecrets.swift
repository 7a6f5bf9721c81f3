internal import Configuration
internal import Cryptography
internal import SecretMemory
internal import Storage

// The client secret of an account's provider has its own box, separate from the provider's other
// settings. No presence check guards it, because it identifies the program and not the person. The
// box is bound to the account and to those settings, so that edited settings cannot send the secret
// elsewhere. The account's binding covers both, and shows that the secret belongs to the login.
extension Vault {
  /// Binds an account to a provider; its refresh token must be sealed for it next.
  func bind(_ row: inout AccountRow, to provider: Provider, exportable: Bool) throws(VaultFailure) {
    row.provider = provider.name.text
    row.providerSettings = provider.canonicalForm
    row.sealedClientSecret = try sealedClientSecret(of: provider, owner: row.owner, account: row.id)
    row.exportable = exportable
    row.binding = try bindingOf(provider, exportable: exportable)
  }

  /// The box of a provider's client secret; `nil` if it has none.
  func sealedClientSecret(
    of provider: Provider,
    owner: UInt32,
    account: [UInt8]
  ) throws(VaultFailure) -> [UInt8]? {
    guard let secret = provider.oauth?.clientSecret else { return nil }
    return try mappingErrors(to: .unexpected("the client secret cannot be sealed")) {
      try box(secret.secret.bytes, try context(owner, account, provider.canonicalForm))
    }
  }

  /// Opens the client secret that an account, or an unfinished login of it, keeps.
  ///
  /// - Parameters:
  ///   - box: the sealed client secret.
  ///   - form: the canonical form of the provider beside it.
  ///   - account: the account.
  /// - Throws: `vaultUnsafe` if the box does not open.
  /// - Returns: the client secret; `nil` if there is no box.
  func clientSecret(
    _ box: [UInt8]?,
    beside form: [UInt8],
    of account: AccountRow
  ) throws(VaultFailure) -> ClientSecret? {
    guard let box else { return nil }
    let opened = try mappingErrors(to: doesNotOpen(account)) {
      SharedSecret(try openBox(box, try context(account.owner, account.id, form)))
    }
    let what = "the client secret in the record of \(account.name) cannot be read"
    return try mappingErrors(to: .damaged(what)) { try ClientSecret(opened) }
  }

  /// Opens every client secret and seals it again, inside the transaction of a rekey.
  func resealClientSecrets(under key: borrowing SealingKey) throws(VaultFailure) {
    for var row in try stored(try store.allAccounts()) {
      guard let box = row.sealedClientSecret else { continue }
      row.sealedClientSecret = try mappingErrors(to: doesNotOpen(row)) {
        try resealed(box, try context(row.owner, row.id, row.providerSettings), under: key)
      }
      try stored(try store.update(row))
    }
  }

  // MARK: - Boxes

  private func context(
    _ owner: UInt32,
    _ account: [UInt8],
    _ form: [UInt8]
  ) throws(CryptographyError) -> BoxContext {
    try BoxContext(
      kind: .clientSecret,
      vault: identifier,
      owner: owner,
      account: account,
      protection: .none,
      generation: 0,
      binding: try sha256(form)
    )
  }

  private func doesNotOpen(_ account: AccountRow) -> ErrorMeaning {
    .damaged("the sealed client secret of \(account.name) does not open")
  }
}
