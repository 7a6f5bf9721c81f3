internal import Configuration
internal import Varlink
internal import VaultClient
internal import VaultInterface

extension SignInModel {
  /// Makes the form of an account that signs in again, at the provider that it has, or tells why
  /// not.
  ///
  /// - Returns: whether there is a form, or a sign-in that is under way.
  func start(again item: AccountItem) async -> Bool {
    let found = await vault.act(on: item) { name, connection, _ throws(VaultClientError) in
      try Self.provider(try connection.call(AccountProviderCall(account: name)).provider)
    }
    guard let found else { return false }
    let texts = ["email": item.account.email].compactMapValues(\.self)
    show(SignInForm(.account(item.name, found), texts))
    return true
  }

  nonisolated private static func provider(
    _ found: VaultProvider
  ) throws(VaultClientError) -> Provider {
    do throws(ConfigurationError) {
      return try found.provider()
    } catch {
      throw .malformed(.otherMethod)
    }
  }
}
