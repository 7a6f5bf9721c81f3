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
    let certificates = try certificates(of: login, named: name, session)
    var failure: CommandError?
    for issuer in login.issuers {
      let draft = try provider(of: login, certificates, at: issuer, named: name)
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

  /// The certificates that the other program demands of the provider; `nil` for those of the
  /// system.
  private static func certificates(
    of login: ForeignLogin,
    named name: ProviderName,
    _ session: Session
  ) throws(CommandError) -> String? {
    guard let path = login.certificateFile else { return nil }
    do throws(CommandError) {
      let bytes = try ProviderFiles(environment: session.environment).contents(of: path) ?? []
      return String(decoding: bytes, as: UTF8.self)
    } catch {
      throw withoutCertificates(login, named: name, error.message)
    }
  }

  /// The error of a login whose certificates cannot be taken over.
  private static func withoutCertificates(
    _ login: ForeignLogin,
    named name: ProviderName,
    _ why: String
  ) -> CommandError {
    let words = [
      "thumblatch provider add \(name) --ca FILE", "--issuer \(login.issuers.first ?? "ISSUER")",
      "--client-id \(login.clientID ?? "ID")",
      login.clientSecret == nil ? nil : "--client-secret",
    ]
    return .usage(
      "the certificates of the login cannot be used: \(why)",
      hint: "put the certificate authority of the provider into a FILE, then run: "
        + words.compactMap(\.self).joined(separator: " ") + "; then repeat with --provider \(name)"
    )
  }

  private static func provider(
    of login: ForeignLogin,
    _ certificates: String?,
    at issuer: String,
    named name: ProviderName
  ) throws(CommandError) -> Provider {
    let authentication: OAuthSettings.ClientAuthentication =
      login.clientSecret == nil ? .none : .basic
    var settings = [
      "kind": (login.scopes.contains("openid") ? Provider.Kind.oidc : .oauth2).rawValue,
      "issuer": issuer,
      "client_id": login.clientID ?? "",
      "client_authentication": authentication.rawValue,
      "redirect_uri": (login.redirect.flatMap { try? LoopbackRedirect($0) } ?? .standard).text,
      "scope": login.scopes.joined(separator: " "),
      "audience": login.audience ?? "",
    ].filter { !$0.value.isEmpty || $0.key == "client_id" }
    settings["ca"] = certificates
    do throws(ConfigurationError) {
      return try Provider(
        name: name,
        settings: settings,
        clientSecret: try login.clientSecret.map(ClientSecret.init)
      )
    } catch {
      if error.key == "ca", let path = login.certificateFile {
        let why = "\(ConfigurationError.shown(path)) \(ConfigurationError(error.problem))"
        throw withoutCertificates(login, named: name, why)
      }
      throw .usage("the login cannot be used: \(error)")
    }
  }
}
