package import Configuration
internal import Cryptography
internal import OAuth
internal import PresenceTerms
package import SecretMemory
internal import Storage
internal import System

// Another program's login is taken over by its refresh token. The import is a sign-in whose
// exchange is a refresh: the account and its slot are made first, the answer becomes durable in the
// slot, and T2 stores it. Until T2 the other program's copy is the only one that is known to be
// valid, so a refusal or a lost answer leaves no account.
//
// A token is sent once. Providers treat the second use of a rotated token as theft, and end the
// login. The note of an import names token and client by digests under the vault's key. A second
// call with the same token, after a kill of the client, finds the note, and sends nothing. A call
// for another account is refused. The notes end with their accounts, and a rekey makes them
// unreadable: a signed-in account then refuses each import.
extension Vault {
  /// Takes over a login of another program, and refreshes it at once.
  ///
  /// - Parameters:
  ///   - name: the account, which is made if there is none; it must not be signed in.
  ///   - provider: the other program's client at its provider.
  ///   - token: the refresh token that the other program keeps.
  ///   - prompt: a passed presence check to spend.
  ///   - caller: the caller that asks.
  /// - Returns: the account as it is now, and whether the provider has replaced the token.
  /// - Throws: `refused` if the account is signed in; all that `signIn` throws.
  package func importLogin(
    account name: String,
    provider: Provider,
    refreshToken token: SharedSecret,
    prompt: String? = nil,
    caller: Caller
  ) async throws(VaultFailure) -> (account: AccountFacts, isRotated: Bool) {
    try demandCurrentStore()
    let identifier = try importIdentifier(of: token, provider)
    var pending = SignInIntent(provider, email: "", exportable: false)
    pending.flow = .importing
    pending.login = Hexadecimal.text(identifier)
    if let row = try accountIfAny(named: name), try isImported(row, by: pending) {
      if let prompt { cancel(prompt, caller: caller) }
      let location = await locationOfWindow(caller)
      return (try facts(of: row, at: location), try isRotated(row))
    }
    try demandNew(pending, besides: try accountIfAny(named: name)?.id)
    let target = try await target(toSignIn: name, provider)
    guard !target.hasOneToken else {
      throw .invalidArgument("\(target.name.text) gives one token, and no refresh token")
    }
    let agreed = try await agreeToImport(name, at: target, identifier, prompt, caller)
    let request = try mappingErrors(to: .invalidArgument) {
      try ProviderClient(provider: target).refresh(token.bytes)
    }
    pending = SignInIntent(target, email: "", exportable: false)
    pending.flow = .importing
    pending.login = Hexadecimal.text(identifier)
    pending.agreed = agreed
    pending.keys = try await keys(of: target)?.encoded
    let attempt = SignInAttempt(
      purpose: .login,
      provider: target,
      request: request,
      pending: pending,
      sent: token
    )
    let outcome = try await signIn(.named(name), target, attempt, caller)
    let facts = try await facts(of: outcome, caller)
    return (facts, try isRotated(try account(named: facts.name)))
  }

  /// Whether an account has got the token of an import already.
  ///
  /// It is `false` for any other sign-in.
  ///
  /// - Throws: `refused` if the account is signed in otherwise: an import replaces no login.
  func isImported(_ row: AccountRow, by pending: SignInIntent) throws(VaultFailure) -> Bool {
    guard pending.flow == .importing, row.state == .signedIn, row.generation > 0 else {
      return false
    }
    let known = try importNote(of: row)?.prefix(Self.identifierBytes)
    guard let known, Hexadecimal.text(Array(known)) == pending.login else {
      throw .refused(
        "\(row.name) is signed in, and an import replaces no login: sign out first to replace it"
      )
    }
    return true
  }

  /// Refuses the token of an import that another account has got, or is about to get.
  ///
  /// It does nothing for any other sign-in.
  func demandNew(_ pending: SignInIntent, besides account: [UInt8]?) throws(VaultFailure) {
    guard pending.flow == .importing, let login = pending.login,
      let token = Hexadecimal.bytes(login)?.prefix(Self.digestBytes)
    else { return }
    for row in try accounts() where row.id != account {
      if try importNote(of: row)?.prefix(Self.digestBytes) == token {
        throw .refused("\(row.name) already has this token, which is not used for a second account")
      }
      if let other = try intent(of: row)?.pendingSignIn, other.flow == .importing,
        let known = other.login.flatMap(Hexadecimal.bytes),
        known.prefix(Self.digestBytes) == token
      {
        throw .refused("this token is being imported as \(row.name)")
      }
    }
  }

  /// Refuses a protected account that has changed since the person of an import agreed.
  ///
  /// It does nothing for any other sign-in.
  func demandAgreed(_ row: AccountRow, _ pending: SignInIntent) throws(VaultFailure) {
    guard pending.flow == .importing, row.isProtected, row.generation > 0 else { return }
    guard try pending.agreed == ownership(of: row) else { throw .accountChanged }
  }

  /// Asks for a presence check if an import signs in to a protected account that is signed out.
  ///
  /// The provider's answer need not say whose login it is. So the check precedes the use of the
  /// token.
  private func agreeToImport(
    _ name: String,
    at provider: Provider,
    _ identifier: [UInt8],
    _ prompt: String?,
    _ caller: Caller
  ) async throws(VaultFailure) -> [UInt8]? {
    guard let account = try accountIfAny(named: name), account.isProtected, account.generation > 0
    else {
      if let prompt { cancel(prompt, caller: caller) }
      return nil
    }
    let ownership = try ownership(of: account)
    let question = caller.question(
      .replace,
      about: account.id,
      detail: "\(shownOwner(of: account)) → a login of another program at \(shown(provider));"
        + " protection ends for another person, and if the answer names none",
      binding: try digest(
        ownership + identifier + (try bindingOf(provider.asWritten, exportable: false))
      )
    )
    _ = try await spend(question, account: name, by: prompt, caller)
    return ownership
  }

  // MARK: - The note

  private static let digestBytes = 32
  /// A digest for the token at its issuer, and one for the client.
  private static let identifierBytes = 2 * digestBytes

  private static func importKey(_ account: [UInt8]) -> String {
    "import:" + Hexadecimal.text(account)
  }

  /// The name of a token at its provider and for its client, which does not reveal the token.
  private func importIdentifier(
    of token: SharedSecret,
    _ provider: Provider
  ) throws(VaultFailure) -> [UInt8] {
    try mappingErrors(to: .unexpected("no digest")) {
      let context = try sha256(token.bytes) + sha256(Array(provider.issuer.text.utf8))
      let key = try storeState.keys.secret.derived(for: "import", context: context)
      return try sha256(try key.copyOfBytes()) + sha256(Array((provider.clientID ?? "").utf8))
    }
  }

  private func importNote(of row: AccountRow) throws(VaultFailure) -> [UInt8]? {
    try stored(try store.meta(Self.importKey(row.id)))
  }

  /// Whether the provider replaced the token of an account's import.
  private func isRotated(_ row: AccountRow) throws(VaultFailure) -> Bool {
    try importNote(of: row)?.last == 1
  }

  /// Notes the token of an import, or forgets that of an earlier one, inside T2 of a sign-in.
  func noteImport(
    of row: AccountRow,
    _ settlement: Settlement,
    _ brought: SharedSecret?
  ) throws(VaultFailure) {
    guard settlement.isSignIn else { return }
    guard settlement.isImport, let login = settlement.pending?.login,
      let identifier = Hexadecimal.bytes(login)
    else {
      return try stored(try forgetImport(of: row.id))
    }
    let new = try brought.map { token throws(VaultFailure) in
      try importIdentifier(of: token, settlement.provider)
    }
    let note = identifier + [new == nil || new == identifier ? 0 : 1]
    try stored(try store.setMeta(Self.importKey(row.id), to: note))
  }

  /// Forgets the import of an account, inside the transaction that removes it.
  func forgetImport(of account: [UInt8]) throws(StorageError) {
    try store.setMeta(Self.importKey(account), to: nil)
  }
}

extension VaultFailure {
  /// The sign-in that an import has waited for left no account, and may have used the same token.
  static let importOvertaken = unavailable(
    .uncertain,
    "another sign-in into this account has failed: nothing was sent for this import",
    retryAfter: nil
  )
  /// The engine that sent the token has ended, and its answer brought no other token.
  static let importInterrupted = providerUnavailable(
    "the import was interrupted, and the other program's token is still valid: import it again"
  )
}
