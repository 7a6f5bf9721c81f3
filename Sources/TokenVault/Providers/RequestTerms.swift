internal import Configuration
internal import Storage

/// The rules for sending an account's access token, from the provider that the account is bound to.
package struct RequestTerms: Sendable, Equatable {
  package let account: String
  /// The issuer, whose origin is always allowed.
  package let issuer: String
  /// Other hosts that the provider's settings name.
  package let hosts: [String]
  /// The only resource that gets the token; `nil` if issuer and hosts do.
  package let resource: String?
  /// Whether the token may go to each host for which the person names the account.
  package let isForAnyHost: Bool
  package let exchange: ExchangeTerms
}

extension Provider {
  /// Whether a token may go to each host for which the person names the account.
  ///
  /// A secret without login is for the hosts of its provider, and a token for one resource is for
  /// that.
  var isForAnyHost: Bool { kind != .static && onlyResource == nil }
}

extension Vault {
  /// The rules that a caller must keep when it sends the access token somewhere.
  package func requestTerms(
    account name: String?,
    caller: Caller
  ) throws(VaultFailure) -> RequestTerms {
    let account = try account(named: try self.account(name, under: caller.rule))
    let provider = try provider(of: account)
    let terms = RequestTerms(
      account: account.name,
      issuer: provider.issuer.text,
      hosts: provider.apiHosts,
      resource: provider.onlyResource,
      isForAnyHost: provider.isForAnyHost,
      exchange: ExchangeTerms(provider, owner: owner)
    )
    putAtHand(terms, of: account)
    return terms
  }
}
