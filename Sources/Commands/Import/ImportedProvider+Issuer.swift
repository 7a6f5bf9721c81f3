internal import Configuration
internal import VaultClient
internal import VaultInterface

// A login that includes its issuer and its client, such as one of oidc-agent.
extension ImportedProvider {
  /// The provider of a login, and the token endpoint of its metadata.
  ///
  /// The provider compares its issuer exactly (RFC 8414, section 3.3), so each spelling is tried.
  static func provider(
    of login: ForeignLogin,
    named name: ProviderName,
    _ session: Session
  ) throws(CommandError) -> (provider: Provider, tokenEndpoint: String?) {
    var failure: CommandError?
    for issuer in login.issuers {
      let draft = try provider(of: login, at: issuer, named: name)
      do throws(CommandError) {
        let metadata: TestProviderReply = try session.call(within: Session.remoteLimit) { _ in
          TestProviderCall(provider: VaultProvider(draft))
        }
        let provider = try authenticating(draft, listed: metadata.clientAuthentication)
        return (provider, metadata.endpoints["token_endpoint"])
      } catch {
        guard error.reason == .misconfigured else { throw error }
        failure = failure ?? error
      }
    }
    throw failure ?? CommandError(.bug, "a login without an issuer")
  }

  private static func provider(
    of login: ForeignLogin,
    at issuer: String,
    named name: ProviderName
  ) throws(CommandError) -> Provider {
    let authentication: OAuthSettings.ClientAuthentication =
      login.clientSecret == nil ? .none : .basic
    let settings = [
      "kind": (login.scopes.contains("openid") ? Provider.Kind.oidc : .oauth2).rawValue,
      "issuer": issuer,
      "client_id": login.clientID ?? "",
      "client_authentication": authentication.rawValue,
      "redirect_uri": (login.redirect.flatMap { try? LoopbackRedirect($0) } ?? .standard).text,
      "scope": login.scopes.joined(separator: " "),
      "audience": login.audience ?? "",
    ].filter { !$0.value.isEmpty || $0.key == "client_id" }
    do throws(ConfigurationError) {
      return try Provider(
        name: name,
        settings: settings,
        clientSecret: try login.clientSecret.map(ClientSecret.init)
      )
    } catch {
      throw .usage("the login cannot be used: \(error)")
    }
  }
}
