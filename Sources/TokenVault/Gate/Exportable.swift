internal import Configuration
internal import Cryptography
internal import Presence
internal import PresenceTerms
internal import SecretMemory
internal import Storage

extension Vault {
  /// The binding of an account's tokens.
  ///
  /// It is the SHA-256 of its provider's whole form, and of whether the tokens may be released. A
  /// record that was edited to allow a release does not open.
  func bindingOf(_ provider: Provider, exportable: Bool) throws(VaultFailure) -> [UInt8] {
    try bindingOf(provider.canonicalForm, provider.oauth?.clientSecret, exportable: exportable)
  }

  /// The same from the parts that an account keeps.
  func bindingOf(
    _ form: [UInt8],
    _ clientSecret: ClientSecret?,
    exportable: Bool
  ) throws(VaultFailure) -> [UInt8] {
    // The form is text, which has no NUL.
    let suffix = exportable ? [0] + Array("exportable".utf8) : []
    guard let clientSecret else { return try digest(form + suffix) }
    do {
      return try sha256(try Provider.wholeForm(form, clientSecret, followedBy: suffix))
    } catch {
      throw .unexpected("no digest: \(error)")
    }
  }

  /// Demands the system password for a sign-in whose refresh token may be released later.
  func allowExportable(
    _ name: String,
    _ provider: Provider?,
    _ prompt: String?,
    _ caller: Caller
  ) async throws(VaultFailure) {
    try demandMayLeave()
    let checked = try accountName(name)
    let question = caller.question(.exportable, about: try subject(of: checked, provider))
    try await spendPassword(for: question, account: checked.text, by: prompt, caller)
  }

  /// The subject of the proof: the account, or its name while there is none.
  private func subject(
    of name: AccountName,
    _ provider: Provider?
  ) throws(VaultFailure) -> [UInt8] {
    if let account = try accountIfAny(named: name.text) { return account.id }
    guard provider != nil else { throw .noSuchAccount(name.text) }
    return Array(try digest(Array("account to be made ".utf8) + Array(name.text.utf8)).prefix(16))
  }
}
