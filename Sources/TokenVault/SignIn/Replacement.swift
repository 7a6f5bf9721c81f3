internal import AuditLog
internal import Configuration
internal import Cryptography
internal import OAuth
internal import Presence
internal import PresenceTerms
internal import Storage

// A sign-in can put another person, or another provider, in the place of a protected account.
// Programs that name the account would then work for that person. So a replacement needs a presence
// check. Its prompt shows both identities, and an unlock window does not count.
//
// If a sign-in goes to another provider or makes a new user, the change is known beforehand. Then
// the check comes first. The intent keeps the agreement, so that the next engine finishes the
// sign-in by it. At the same provider, only the answer says which person signed in. Then the answer
// is held until the check has passed. If it does not pass, or if no caller waits any more, the
// account stays as it was.
extension Vault {
  /// Whether a sign-in would give a protected account to another person or provider.
  ///
  /// An account that never had a token belongs to no person yet. A record that cannot be read
  /// cannot be compared, and counts as replaced.
  func replaces(
    _ account: AccountRow,
    with provider: Provider,
    _ user: UserFacts?,
    email: String
  ) -> Bool {
    guard account.isProtected, account.generation > 0 else { return false }
    return isElsewhere(provider, than: account) || !account.isSamePerson(user, email: email)
  }

  /// Whether a replacing sign-in is one of the same person at the same issuer.
  ///
  /// The account then stays protected, as that person has chosen.
  func staysProtected(
    _ account: AccountRow,
    with provider: Provider,
    _ user: UserFacts?,
    email: String
  ) -> Bool {
    isIssuer(of: provider, that: account) && account.isSamePerson(user, email: email)
  }

  private func isIssuer(of provider: Provider, that account: AccountRow) -> Bool {
    guard let bound = try? self.provider(of: account) else { return false }
    return bound.issuer.text.utf8.elementsEqual(provider.issuer.text.utf8)
  }

  /// Whether a provider differs from the one at which an account signs in.
  ///
  /// Both are compared as the user wrote them: values that discovery fills in may have moved.
  private func isElsewhere(_ provider: Provider, than account: AccountRow) -> Bool {
    guard let bound = try? self.provider(of: account) else { return true }
    return bound.asWritten != provider.asWritten
  }

  /// The digest of the ownership of a protected account, which a person agrees to give up.
  ///
  /// A change of any part makes it another question.
  func ownership(of account: AccountRow) throws(VaultFailure) -> [UInt8] {
    let parts = [
      account.id, Array(account.name.utf8), account.binding, Array((account.subject ?? "").utf8),
      Array((account.email ?? "").utf8), [account.protection],
    ]
    // A length before each part, so that no two lists of parts give the same bytes.
    return try digest(
      Array("ownership".utf8) + parts.flatMap { littleEndian(UInt64($0.count)) + $0 }
    )
  }

  /// The question before a sign-in that will replace an account, whichever person signs in.
  ///
  /// `nil` if nothing is replaced, or if only the answer can tell.
  func knownReplacement(
    of name: String,
    with provider: Provider,
    email: String?,
    isNewUser: Bool,
    exportable: Bool,
    _ caller: Caller
  ) throws(VaultFailure) -> PromptQuestion? {
    guard let account = try accountIfAny(named: name), account.isProtected, account.generation > 0,
      isNewUser || isElsewhere(provider, than: account)
    else { return nil }
    let person = email.map { "\($0) " } ?? ""
    let new = "\(isNewUser ? "a new user " : "")\(person)at \(shown(provider))"
    let end =
      !isNewUser && isIssuer(of: provider, that: account)
      ? " with other settings; protection ends for another person" : "; protection ends"
    return caller.question(
      exportable ? .exportable : .replace,
      about: account.id,
      detail: "\(shownOwner(of: account)) → \(new)\(end)",
      binding: try digest(
        try ownership(of: account) + (try bindingOf(provider.asWritten, exportable: exportable))
      )
    )
  }

  /// The owner of an account and its provider's name, as shown in a prompt.
  func shownIdentity(of account: AccountRow) -> String {
    shownOwner(of: account, at: account.provider)
  }

  /// The owner of an account and its provider, as shown in a prompt.
  func shownOwner(of account: AccountRow) -> String {
    let bound = (try? provider(of: account)).map(shown)
    return shownOwner(of: account, at: bound ?? account.provider)
  }

  /// The owner of an account and a text for its provider; a static secret may have no owner.
  private func shownOwner(of account: AccountRow, at provider: String) -> String {
    if let person = account.email ?? account.displayName ?? account.subject {
      return "\(person) at \(provider)"
    }
    return keepsSecret(account)
      ? provider : "a person that the provider did not name at \(provider)"
  }

  func shown(_ provider: Provider) -> String {
    "\(provider.name.text) (\(provider.issuer.text))"
  }

  /// Whether a sign-in may be kept: it replaces nothing, or the person agreed to the replacement.
  func mayKeep(_ settlement: Settlement, _ user: UserFacts?) throws(VaultFailure) -> Bool {
    guard let pending = settlement.pending else { return true }
    let account = settlement.account
    guard replaces(account, with: settlement.provider, user, email: pending.email) else {
      return true
    }
    return try pending.agreed == ownership(of: account)
  }

  // MARK: - Before the sign-in

  /// Asks for the consent that a sign-in needs beforehand: that its token may leave the vault, that
  /// it replaces a protected account, or both at once.
  ///
  /// - Returns: the ownership digest of the account to replace; `nil` if no agreement was needed.
  func agreeToSignIn(
    _ name: String,
    at provider: Provider,
    isGiven: Bool,
    email: String?,
    isNewUser: Bool,
    exportable: Bool,
    _ prompt: String?,
    _ caller: Caller
  ) async throws(VaultFailure) -> [UInt8]? {
    if exportable { try demandMayLeave() }
    let replacing = try knownReplacement(
      of: name,
      with: provider,
      email: email,
      isNewUser: isNewUser,
      exportable: exportable,
      caller
    )
    guard let replacing else {
      if exportable {
        try await allowExportable(name, isGiven ? provider : nil, prompt, caller)
      } else if let prompt {
        cancel(prompt, caller: caller)
      }
      return nil
    }
    let method = try await spend(replacing, account: name, by: prompt, caller)
    guard !exportable || method == .password else { throw .needsPassword(methods: [.password]) }
    return try ownership(of: try account(named: name))
  }
}
