internal import Configuration
internal import VaultInterface

// Which hosts may get an account's token through the helpers of other tools.
extension Session {
  /// Refuses a host that an account's token is not for.
  ///
  /// A secret without login is for its issuer's host and `api_hosts`. The token of an account for
  /// one resource is for the host of that. For any other account, the user's `hosts.conf` decides.
  ///
  /// - Parameters:
  ///   - host: the host; `nil` if no token can be sent to the address.
  ///   - account: the account.
  /// - Throws: exit 11 if the token is for another host; failures of the vault.
  func demandAllowed(_ host: TokenHost?, of account: String) throws(CommandError) {
    try demandAllowed(host, by: try requestTerms(of: account))
  }

  /// The same by terms that are known.
  func demandAllowed(_ host: TokenHost?, by terms: RequestTermsReply) throws(CommandError) {
    guard !(host != nil && terms.anyHost == true), !terms.allows(host) else { return }
    let name = host?.text ?? "an address without https"
    if let resource = terms.resource {
      throw ResourceBinding.refusal(of: terms.account, for: resource, to: name)
    }
    // An engine that was started before an update does not report it.
    guard let known = try SignInVerbs.knownAccount(self, terms.account), known.isStatic
    else { return }
    throw CommandError(
      .refused,
      "refusing to give the secret of \(known.name) to \(name): it is for \(terms.issuer)",
      hint: "to keep another secret: thumblatch store NAME --host HOST; to let this one go to more"
        + " hosts: thumblatch store \(known.name) --api-host HOST"
    )
  }

  func requestTerms(of account: String) throws(CommandError) -> RequestTermsReply {
    try call(within: Session.localLimit) { _ in RequestTermsCall(account: account) }
  }
}

extension RequestTermsReply {
  /// Whether the token may go to a host by these terms.
  func allows(_ host: TokenHost?) -> Bool {
    guard let host else { return false }
    if let resource { return (try? TokenHost(ofURL: resource)) == host }
    guard let issuer = try? Issuer(issuer), let target = try? RequestTarget(host.url) else {
      return false
    }
    return target.mayGetToken(issuer: issuer, hosts: hosts)
  }
}

extension TokenHost {
  /// The root of the host.
  var url: String { text.contains("://") ? text : "https://" + text }

  /// Whether it is the host of an account's own issuer; an item of the Secret Service has none.
  func isHome(of account: VaultAccount) -> Bool {
    (try? TokenHost(ofURL: account.issuer)) == self && !SecretAccount.isItem(account)
  }
}
