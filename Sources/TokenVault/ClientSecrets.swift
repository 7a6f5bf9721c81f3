internal import Configuration
internal import Cryptography
internal import SecretMemory
internal import Storage

// The client secret of an account's provider stands in a box of its own, beside the provider's other
// settings. No presence check guards it: it proves which program asks, and not who. It is bound to
// the account and to those settings, so that no edited one sends it somewhere else; that it is the
// one of the login is told by the account's binding, which is made over both.
extension Vault {
  /// Binds an account to a provider; its refresh token has to be sealed for it next.
  func bind(
    _ row: inout AccountRow,
    to provider: Provider,
    exportable: Bool
  ) throws(VaultFailure) {
    row.provider = provider.name.text
    row.providerSettings = provider.canonicalForm
    row.sealedClientSecret = try sealedClientSecret(of: provider, owner: row.owner, account: row.id)
    row.exportable = exportable
    row.binding = try bindingOf(provider, exportable: exportable)
  }

  /// The box of a provider's client secret; nil where it has none.
  func sealedClientSecret(
    of provider: Provider,
    owner: UInt32,
    account: [UInt8]
  ) throws(VaultFailure) -> [UInt8]? {
    guard let secret = provider.oauth?.clientSecret else { return nil }
    do throws(CryptographyError) {
      let context = try Self.context(identifier, owner, account, provider.canonicalForm)
      return try SealedBox.sealVerified(
        secret.secret.bytes,
        using: deviceSecret,
        context: context
      ).bytes
    } catch {
      throw .unexpected("the client secret cannot be sealed: \(error)")
    }
  }

  /// The settings and the client secret that an account, or an unfinished login of it, keeps.
  ///
  /// - Parameters:
  ///   - settings: the canonical form; that of an older program may hold the client secret itself.
  ///   - box: the sealed client secret.
  ///   - account: whose they are.
  /// - Throws: `vaultUnsafe` where the box does not open, or the settings cannot be read.
  /// - Returns: the canonical form without the secret, and the secret.
  func kept(
    _ settings: [UInt8],
    _ box: [UInt8]?,
    of account: AccountRow
  ) throws(VaultFailure) -> (form: [UInt8], clientSecret: ClientSecret?) {
    guard let box else {
      return try Self.reading(account) { () throws(ConfigurationError) in
        try Provider.separated(canonicalForm: settings)
      }
    }
    let opened: SharedSecret
    do throws(CryptographyError) {
      let context = try Self.context(identifier, account.owner, account.id, settings)
      opened = SharedSecret(try SealedBox(parsing: box).open(using: deviceSecret, context: context))
    } catch {
      throw Self.damaged(account, error)
    }
    return try Self.reading(account) { () throws(ConfigurationError) in
      (settings, try ClientSecret(opened))
    }
  }

  /// Opens every client secret and seals it anew, inside the transaction of a rekey.
  func resealClientSecrets(under key: borrowing SealingKey) throws(VaultFailure) {
    for var row in try stored({ () throws(StorageError) in try self.store.allAccounts() }) {
      guard let box = row.sealedClientSecret else { continue }
      do throws(CryptographyError) {
        let context = try Self.context(identifier, row.owner, row.id, row.providerSettings)
        let secret = try SealedBox(parsing: box).open(using: deviceSecret, context: context)
        row.sealedClientSecret =
          try SealedBox.sealVerified(secret, using: key, context: context).bytes
      } catch {
        throw Self.damaged(row, error)
      }
      let changed = row
      try stored { () throws(StorageError) in try self.store.update(changed) }
    }
  }

  // MARK: - Stores of older programs

  private static let adoptionKey = "client-secret-adopt"

  /// Seals the client secrets that an older program has left in plain, and removes what is left of
  /// them in the file and its log.
  ///
  /// The answer to a login that an older program has begun is bound to all that it kept, so that such
  /// a login stays as it is: as long as there is one, the next start comes here again.
  ///
  /// - Throws: `StorageError` or `CryptographyError`.
  static func adoptClientSecrets(
    _ store: Store,
    vault: [UInt8],
    using key: borrowing SealingKey
  ) throws {
    guard try store.meta(adoptionKey) != nil else { return }
    guard !store.isNew else { return try store.setMeta(adoptionKey, to: nil) }
    do {
      try store.transaction {
        for var row in try store.allAccounts() {
          // One that cannot be read hides no other; whoever asks for it is told.
          guard let (form, held) = try? Provider.separated(canonicalForm: row.providerSettings),
            let secret = held
          else { continue }
          let context = try context(vault, row.owner, row.id, form)
          row.sealedClientSecret =
            try SealedBox.sealVerified(secret.secret.bytes, using: key, context: context).bytes
          row.providerSettings = form
          try store.update(row)
        }
      }
      try store.compact()
    } catch StorageError.full {
      // They can be used as they are; the next start that has room seals them.
      return
    }
    let isAwaited = try store.intents().contains { intent in
      guard intent.purpose != .refresh,
        let pending = PendingSignIn(decoding: intent.context, of: intent.account),
        let kept = try? Provider.separated(canonicalForm: pending.providerSettings)
      else { return false }
      return kept.clientSecret != nil
    }
    if !isAwaited { try store.setMeta(adoptionKey, to: nil) }
  }

  /// The same, for a store that was put back and is accepted now.
  func adoptClientSecrets() throws(VaultFailure) {
    do {
      try Self.adoptClientSecrets(store, vault: identifier, using: deviceSecret)
    } catch let error as StorageError {
      throw failure(of: error)
    } catch {
      throw .unexpected("the client secrets cannot be sealed: \(error)")
    }
  }

  // MARK: - Boxes

  private static func context(
    _ vault: [UInt8],
    _ owner: UInt32,
    _ account: [UInt8],
    _ form: [UInt8]
  ) throws(CryptographyError) -> BoxContext {
    try BoxContext(
      kind: .clientSecret,
      vault: vault,
      owner: owner,
      account: account,
      protection: .none,
      generation: 0,
      binding: try sha256(form)
    )
  }

  private static func reading<Value>(
    _ account: AccountRow,
    _ body: () throws(ConfigurationError) -> Value
  ) throws(VaultFailure) -> Value {
    do throws(ConfigurationError) {
      return try body()
    } catch {
      throw .vaultUnsafe(
        "the provider in the record of \(account.name) cannot be read: \(error)",
        hint: "nothing was changed; restore the vault from a backup, or sign in again"
      )
    }
  }

  private static func damaged(_ account: AccountRow, _ error: CryptographyError) -> VaultFailure {
    .vaultUnsafe(
      "the sealed client secret of \(account.name) does not open: \(error)",
      hint: "nothing was changed; restore the vault from a backup, or sign in again"
    )
  }
}
