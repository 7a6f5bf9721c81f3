internal import Configuration
internal import Cryptography
internal import Storage

// What the policy says of all accounts: `presence`, `providers` and `exportable`.
//
// An account that was signed in before a rule is not changed by it. Without presence protection its
// box does not change, and its refresh token is not used until the user enables protection: a check
// in software is weaker than a box that needs one. At a provider that is no longer allowed it stays
// signed in, and is refreshed.
extension Vault {
  /// Refuses the refresh token of an account that the policy wants protected.
  ///
  /// A sign-out still uses it: it ends the grant.
  func demandProtection(of account: AccountRow) throws(VaultFailure) {
    guard let why = try missingProtection(of: account) else { return }
    throw .refused("\(account.name) \(why)")
  }

  /// Why the refresh token of an account is not used, if it lacks protection that the policy wants.
  func missingProtection(of account: AccountRow) throws(VaultFailure) -> String? {
    guard try protectionClass(of: account) == .none, try policy().presence == .required else {
      return nil
    }
    return "has no presence protection, which each account must have"
      + "\(try origin(of: .presence)); enable it: thumblatch presence enable \(account.name)"
  }

  /// Refuses to make or leave an account without the protection that the policy wants.
  func demandMayBeUnprotected(_ name: String) throws(VaultFailure) {
    guard try policy().presence == .required else { return }
    throw .refused("\(name) must have presence protection\(try origin(of: .presence))")
  }

  /// Whether an account is protected from its sign-in.
  ///
  /// An unreadable policy counts as "required", so that no token of the sign-in is lost. The user
  /// can end the protection.
  var protectsFromSignIn: Bool { (try? policy().presence) != .optional }

  /// Refuses a sign-in at a provider that the policy does not allow.
  ///
  /// In a vault without machine rules a name says nothing: the user writes the files.
  ///
  /// `account` is bound to the provider; it is `nil` if the caller names the provider.
  func demandAllowed(
    _ provider: Provider,
    boundTo account: String? = nil
  ) throws(VaultFailure) {
    guard try !isAllowed(provider) else { return }
    let allowed = try policy().providers
    let shown = "\(provider.name.text) (\(provider.issuer.text))"
    let origin = try origin(of: .providers)
    guard case .only(let names) = allowed, names.contains(provider.name) else {
      throw .refused(
        "sign-in at \(shown) is not allowed; allowed: \(allowed.text)\(origin)"
      )
    }
    // The name is allowed. The administrator has changed or removed the file, or it is another
    // one's.
    let why = "may be signed in to only with the settings of the machine's own file\(origin)"
    guard let account else { throw .refused("\(shown) \(why)") }
    throw .refused(
      "\(shown) \(why), and \(account) has other ones: thumblatch login \(account) --provider"
        + " \(provider.name.text)"
    )
  }

  /// Whether the policy allows a sign-in at a provider.
  func isAllowed(_ provider: Provider) throws(VaultFailure) -> Bool {
    guard policyFile != nil, case .only(let names) = try policy().providers else {
      return true
    }
    return ruleState.machine.isOfMachine(provider, named: names)
  }

  /// Refuses to bind an account to other addresses, if the policy keeps its refresh token in the
  /// vault.
  ///
  /// The next refresh would send the token there. The addresses of a machine's provider are the
  /// administrator's.
  func demandSameAddresses(_ provider: Provider, as account: AccountRow) throws(VaultFailure) {
    guard provider.kind != .static, try policy().exportable == .never,
      !ruleState.machine.isOfMachine(provider, named: [provider.name])
    else { return }
    let changed = provider.asWritten.keys(differingFrom: try self.provider(of: account).asWritten)
      .intersection(Self.destinationKeys)
    guard let key = changed.min() else { return }
    throw .refused(
      "\(account.name) would send its refresh token elsewhere (\(key) differs), and no refresh token"
        + " may leave the vault\(try origin(of: .exportable)): sign in again, or use a provider of"
        + " the machine"
    )
  }

  /// Refuses a refresh token that may leave the vault, if the policy forbids that.
  func demandMayLeave() throws(VaultFailure) {
    guard try policy().exportable == .never else { return }
    throw .refused("no refresh token may leave the vault\(try origin(of: .exportable))")
  }
}
