internal import Configuration
internal import Varlink
internal import VaultClient
internal import VaultInterface

extension SignInModel {
  /// Makes the form of an account that signs in again, at the provider that it has, or tells why not.
  ///
  /// - Returns: whether there is a form, or a sign-in that is under way.
  func start(again item: AccountItem) async -> Bool {
    guard let link, !item.isBusy else { return false }
    let name = item.name
    item.trouble = nil
    do throws(VaultClientError) {
      let found = try await link.call { connection, _ throws(VaultClientError) in
        try connection.call(AccountProviderCall(account: name)).provider
      }
      let texts = ["email": item.account.email].compactMapValues(\.self)
      show(SignInForm(.account(name, try Self.provider(found)), texts))
      return true
    } catch {
      item.trouble = Trouble(error)
      return false
    }
  }

  private static func provider(_ found: VaultProvider) throws(VaultClientError) -> Provider {
    do throws(ConfigurationError) {
      return try Provider(
        name: try ProviderName(found.name),
        boundSettings: found.settings,
        clientSecret: try found.clientSecret.map { secret throws(ConfigurationError) in
          try ClientSecret(secret)
        }
      )
    } catch {
      throw .malformed(.otherMethod)
    }
  }
}
