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

  /// The box of a provider's client secret; `nil` if it has none.
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

  /// Opens the client secret that an account, or an unfinished login of it, keeps.
  ///
  /// - Parameters:
  ///   - box: the sealed client secret.
  ///   - form: the canonical form of the provider beside it.
  ///   - account: whose they are.
  /// - Throws: `vaultUnsafe` if the box does not open.
  /// - Returns: the client secret; `nil` if there is no box.
  func clientSecret(
    _ box: [UInt8]?,
    beside form: [UInt8],
    of account: AccountRow
  ) throws(VaultFailure) -> ClientSecret? {
    guard let box else { return nil }
    let opened: SharedSecret
    do throws(CryptographyError) {
      let context = try Self.context(identifier, account.owner, account.id, form)
      opened = SharedSecret(try SealedBox(parsing: box).open(using: deviceSecret, context: context))
    } catch {
      throw Self.damaged(account, error)
    }
    do throws(ConfigurationError) {
      return try ClientSecret(opened)
    } catch {
      throw .vaultUnsafe(
        "the client secret in the record of \(account.name) cannot be read: \(error)",
        hint: "nothing was changed; restore the vault from a backup, or sign in again"
      )
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

  private static func damaged(_ account: AccountRow, _ error: CryptographyError) -> VaultFailure {
    .vaultUnsafe(
      "the sealed client secret of \(account.name) does not open: \(error)",
      hint: "nothing was changed; restore the vault from a backup, or sign in again"
    )
  }
}
