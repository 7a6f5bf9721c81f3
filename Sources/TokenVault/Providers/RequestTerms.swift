internal import Configuration
internal import Storage

/// Where an account's access token may be sent, as it was at login.
public struct RequestTerms: Sendable, Equatable {
  /// The account's name.
  public let account: String
  /// The issuer, whose origin is always allowed.
  public let issuer: String
  /// Other hosts that the provider named.
  public let hosts: [String]
  /// How a connection is made.
  public let exchange: ExchangeTerms
}

extension Vault {
  /// What a caller has to keep to who sends the access token somewhere.
  public func requestTerms(account name: String?) throws(VaultFailure) -> RequestTerms {
    let account = try account(named: name)
    let provider = try provider(of: account)
    return RequestTerms(
      account: account.name,
      issuer: provider.issuer.text,
      hosts: provider.apiHosts,
      exchange: ExchangeTerms(provider, owner: owner)
    )
  }
}
