internal import Configuration
internal import Storage

/// An account and the provider that it is bound to, read at one moment.
struct AccountContext: Sendable {
  let row: AccountRow
  /// The provider as it was at login, whose digest is the binding of the row.
  let provider: Provider

  /// The same provider for a newer row of the account; `nil` if the row says anything else of it.
  func provider(for newer: AccountRow) -> Provider? {
    guard newer.id == row.id, newer.binding == row.binding, newer.exportable == row.exportable,
      newer.provider.utf8.elementsEqual(row.provider.utf8),
      newer.providerSettings == row.providerSettings,
      newer.sealedClientSecret == row.sealedClientSecret
    else { return nil }
    return provider
  }
}

extension Vault {
  /// An account with its provider, as `provider(of:)` reads it.
  func context(of row: AccountRow) throws(VaultFailure) -> AccountContext {
    AccountContext(row: row, provider: try provider(of: row))
  }

  /// The account as it is now.
  ///
  /// Its provider is parsed again only if the record says anything else of it.
  func renewed(_ earlier: AccountContext) throws(VaultFailure) -> AccountContext {
    let row = try account(withIdentifier: earlier.row.id)
    guard let provider = earlier.provider(for: row) else { return try context(of: row) }
    return AccountContext(row: row, provider: provider)
  }

  /// The provider as it was at login; no file is read.
  ///
  /// A refresh asks several times, and parsing takes longer than the comparison. A provider with a
  /// client secret is not kept.
  func provider(of account: AccountRow) throws(VaultFailure) -> Provider {
    if let known = providerState.parsed(for: account) { return known }
    let provider = try parsedProvider(of: account)
    if account.sealedClientSecret == nil {
      providerState.keep(AccountContext(row: account, provider: provider))
    }
    return provider
  }

  /// Parses the provider in the record of an account.
  ///
  /// The box is bound to the digest in the row, so the settings beside it must have that digest.
  /// Otherwise edited settings would send the token somewhere else, or an edited permission would
  /// let it out.
  private func parsedProvider(of account: AccountRow) throws(VaultFailure) -> Provider {
    let form = account.providerSettings
    let secret = try clientSecret(account.sealedClientSecret, beside: form, of: account)
    guard try bindingOf(form, secret, exportable: account.exportable) == account.binding else {
      throw .damaged("the provider in the record of \(account.name) is not the one of its login")
    }
    let what = "the provider in the record of \(account.name) cannot be read"
    return try mappingErrors(to: .damaged(what)) {
      try Provider(
        name: try ProviderName(account.provider),
        canonicalForm: form,
        clientSecret: secret
      )
    }
  }
}
