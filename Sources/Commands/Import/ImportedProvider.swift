internal import Configuration
internal import ProtectedResources
internal import VaultInterface

/// The provider of a login that is moved: the other program's client, where that signs in.
struct ImportedProvider {
  let provider: Provider
  /// The URL to which the refresh token is sent; `nil` if the provider's metadata names it at the
  /// import.
  let tokenEndpoint: String?
  /// The file whose certificates a new provider gets; `nil` if it gets none.
  let certificateFile: String?
  private let file: MCPLogin.Found

  /// Finds the provider of `--provider`, or makes one from the login and the server's documents.
  init(_ login: ForeignLogin, named name: String, _ session: Session) throws(CommandError) {
    let files = try ProviderFiles(environment: session.environment)
    let chosen = session.arguments.value("--provider")
    let name = try session.providerName(chosen ?? name)
    let isThere = try files.names().contains { $0.name == name }
    let known = chosen != nil || isThere ? try files.read(name).provider : nil
    if let known {
      guard try Self.isOf(login, known) else { throw Self.isAnother(name, isChosen: chosen != nil) }
    }
    certificateFile = known == nil ? login.certificateFile : nil
    guard let server = login.server else {
      if let known {
        (provider, tokenEndpoint) = (known, known.endpoint(.token))
      } else if login.client == nil, login.issuer != nil {
        (provider, tokenEndpoint) = try Self.provider(of: login, named: name, session)
      } else {
        provider = try Self.provider(of: login.client, named: name, session)
        tokenEndpoint = provider.endpoint(.token)
      }
      file = MCPLogin.Found(provider: provider, known: known, files: files)
      return
    }
    try Self.demandPerson(login, isChosen: chosen != nil, session)
    let made = try Self.provider(of: server, login, named: name, session)
    if let known {
      guard known.issuer == made.provider.issuer, known.onlyResource == made.provider.onlyResource
      else { throw Self.isAnother(name, isChosen: chosen != nil) }
    }
    provider = known ?? made.provider
    tokenEndpoint = provider.endpoint(.token) ?? made.tokenEndpoint
    file = MCPLogin.Found(provider: provider, known: known, files: files)
    if let wanted = login.tokenEndpoint {
      guard let tokenEndpoint, wanted.utf8.elementsEqual(tokenEndpoint.utf8) else {
        throw CommandError(
          .serverError,
          "the tokens of \(provider.issuer) are not from the token endpoint of the login",
          hint: "sign in again: thumblatch login \(name) --mcp \(server)"
        )
      }
    }
  }

  /// Writes the file of a new provider.
  ///
  /// Certificates of the login are copied into a file beside it.
  func write() throws(CommandError) {
    guard file.known == nil, provider.certificateAuthority != nil else { return try file.write() }
    try file.files.put(provider, replacing: false)
  }

  // MARK: - Parts

  /// Whether a provider has the client of a login, and the issuer that the login names.
  private static func isOf(
    _ login: ForeignLogin,
    _ provider: Provider
  ) throws(CommandError) -> Bool {
    var (client, issuers) = (login.clientID, login.issuers)
    if let own = login.client {
      do throws(ConfigurationError) {
        let settings = try own.settings()
        (client, issuers) = (settings["client_id"], settings["issuer"].map { [$0] } ?? [])
      } catch {
        throw .usage("the login cannot be used: \(error)")
      }
      guard provider.onlyResource == nil else { return false }
    }
    guard let client, provider.clientID.map({ $0.utf8.elementsEqual(client.utf8) }) == true else {
      return false
    }
    return issuers.isEmpty
      || issuers.contains { $0.utf8.elementsEqual(provider.issuer.text.utf8) }
  }

  private static func isAnother(_ name: ProviderName, isChosen: Bool) -> CommandError {
    guard isChosen else {
      return .usage(
        "a different provider is already named \(name)",
        hint: "give the account another NAME"
      )
    }
    return .usage(
      "the provider \(name) has another client, issuer or server than the login",
      hint: "a refresh token is valid only for its client: omit --provider"
    )
  }

  /// Demands a person if only the server says where the refresh token is sent.
  private static func demandPerson(
    _ login: ForeignLogin,
    isChosen: Bool,
    _ session: Session
  ) throws(CommandError) {
    guard login.issuer == nil, login.tokenEndpoint == nil, !isChosen,
      session.arguments.has("--yes")
    else { return }
    throw CommandError(
      .promptNeeded,
      "the file does not say where the login is from, so a person must look at the token endpoint",
      hint: "repeat this command at a terminal, without --yes"
    )
  }

  /// The provider of an MCP server, which names its authorization servers itself (RFC 9728).
  private static func provider(
    of server: String,
    _ login: ForeignLogin,
    named name: ProviderName,
    _ session: Session
  ) throws(CommandError) -> (provider: Provider, tokenEndpoint: String?) {
    let url: String
    do throws(ConfigurationError) { url = try RequestTarget(server).text } catch {
      throw .usage("the URL of the MCP server cannot be used: \(error)")
    }
    let found = try ServerDiscovery(url, session)
    let redirect = login.redirect.flatMap { try? LoopbackRedirect($0) } ?? .standard
    let settings = [
      "kind": Provider.Kind.oauth2.rawValue,
      "issuer": try issuer(of: login, found, at: url, name),
      "client_id": login.clientID ?? "",
      "client_authentication":
        (login.clientSecret == nil ? OAuthSettings.ClientAuthentication.none : .basic).rawValue,
      "redirect_uri": redirect.text,
      "resource": found.resource.resource,
      "resource_only": "true",
      // As with login --mcp: the effect of a revocation at this provider is not known.
      "revocation_ends": Provider.RevocationEnds.allLogins.rawValue,
      "scope": login.scopes.joined(separator: " "),
    ].filter { !$0.value.isEmpty || $0.key == "client_id" }
    let draft: Provider
    do throws(ConfigurationError) {
      draft = try Provider(
        name: name,
        settings: settings,
        clientSecret: try login.clientSecret.map(ClientSecret.init)
      )
    } catch {
      throw .usage("the login cannot be used: \(error)")
    }
    let (provider, metadata) = try found.metadata(of: draft, session)
    let completed = try authenticating(provider, listed: metadata.clientAuthentication)
    return (completed, metadata.endpoints["token_endpoint"])
  }

  /// The provider with the client authentication that its server lists, if the client has a secret.
  ///
  /// The imported file does not name the client authentication. The default is `basic` (RFC 7591,
  /// section 2).
  static func authenticating(
    _ provider: Provider,
    listed: [String]?
  ) throws(CommandError) -> Provider {
    let post = OAuthSettings.ClientAuthentication.post
    guard let oauth = provider.oauth, oauth.clientAuthentication == .basic, let listed,
      !listed.contains(oauth.clientAuthentication.registeredName),
      listed.contains(post.registeredName)
    else { return provider }
    var settings = provider.settings
    settings["client_authentication"] = post.rawValue
    do throws(ConfigurationError) {
      return try Provider(
        name: provider.name,
        settings: settings,
        clientSecret: oauth.clientSecret
      )
    } catch {
      throw .usage("the login cannot be used: \(error)")
    }
  }

  /// The issuer of a login: the one in its file, or the only one of the server.
  private static func issuer(
    of login: ForeignLogin,
    _ found: ServerDiscovery,
    at url: String,
    _ name: ProviderName
  ) throws(CommandError) -> String {
    let issuers = found.resource.issuers
    let hint = "sign in again: thumblatch login \(name) --mcp \(url)"
    guard let known = login.issuer else {
      guard issuers.count == 1 else {
        throw CommandError(
          .serverError,
          "\(url) names several authorization servers, and the login does not name its own",
          hint: hint
        )
      }
      return issuers[0]
    }
    guard issuers.contains(where: { $0.utf8.elementsEqual(known.utf8) }) else {
      throw CommandError(.serverError, "\(url) no longer accepts tokens of \(known)", hint: hint)
    }
    return known
  }

  /// The provider of a program's own service.
  private static func provider(
    of client: KnownClient?,
    named name: ProviderName,
    _ session: Session
  ) throws(CommandError) -> Provider {
    guard let client else { throw CommandError(.bug, "a login without a client") }
    let secret = client.needsSecret ? try session.clientSecret() : nil
    do throws(ConfigurationError) {
      return try Provider(
        name: name,
        settings: try client.settings(),
        clientSecret: try secret.map(ClientSecret.init)
      )
    } catch {
      throw .usage("the login cannot be used: \(error)")
    }
  }
}
