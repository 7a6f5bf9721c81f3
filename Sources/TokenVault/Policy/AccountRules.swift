internal import Configuration
internal import Cryptography
internal import Storage

// What the policy says of all accounts: `presence`, `providers` and `exportable`.
//
// An account that was signed in before a rule is not changed by it. Without presence protection its
// box stays as it is, and its refresh token is not used until the user enables protection: a check that
// only this program asks for would be less than the box of a protected account proves. At a provider
// that is no longer allowed it stays signed in, and is refreshed.
extension Vault {
  /// Refuses the refresh token of an account that the policy wants protected.
  ///
  /// A sign-out still uses it: it ends the grant.
  func demandProtection(of account: AccountRow) throws(VaultFailure) {
    guard try protectionClass(of: account) == .none, try policy().presence == .required else {
      return
    }
    throw .refused(
      "\(account.name) has no presence protection, which each account must have"
        + "\(try origin(of: .presence)); enable it: thumblatch presence enable \(account.name)"
    )
  }

  /// Refuses to make or leave an account without the protection that the policy wants.
  func demandMayBeUnprotected(_ name: String) throws(VaultFailure) {
    guard try policy().presence == .required else { return }
    throw .refused("\(name) must have presence protection\(try origin(of: .presence))")
  }

  /// Whether an account is protected from its sign-in.
  ///
  /// A policy that cannot be read may want it: the tokens of the sign-in must not be lost, and the user
  /// can end the protection.
  var protectsFromSignIn: Bool { (try? policy().presence) != .optional }

  /// Refuses a sign-in at a provider that the policy does not allow.
  ///
  /// In a vault without machine rules a name says nothing: the user writes the files.
  func demandAllowed(_ provider: Provider) throws(VaultFailure) {
    guard try !isAllowed(provider) else { return }
    let names = try policy().providers.text
    throw .refused(
      "\(provider.name.text) (\(provider.issuer.text)) is no provider that may be signed in to:"
        + " \(names)\(try origin(of: .providers))"
    )
  }

  /// Whether the policy allows a sign-in at a provider.
  func isAllowed(_ provider: Provider) throws(VaultFailure) -> Bool {
    guard rules.policyFile != nil, case .only(let names) = try policy().providers else {
      return true
    }
    return rules.isOfMachine(provider, named: names)
  }

  /// Refuses a refresh token that may leave the vault, if the policy forbids that.
  func demandMayLeave() throws(VaultFailure) {
    guard try policy().exportable == .never else { return }
    throw .refused("no refresh token may leave the vault\(try origin(of: .exportable))")
  }
}
