internal import Configuration
internal import ProtectedResources
internal import VaultInterface

/// The provider of a login that is moved: the other program's client, where that signs in.
struct ImportedProvider {
  let provider: Provider
  /// Whether its file is missing.
  let isNew: Bool
  private let files: ProviderFiles

  /// Finds the provider of `--provider`, or makes one from the login and the server's documents.
  init(_ login: ForeignLogin, named name: String, _ session: Session) throws(CommandError) {
    files = try ProviderFiles(environment: session.environment)
    if let word = session.arguments.value("--provider") {
      let (known, _) = try files.read(try session.providerName(word))
      if let id = login.clientID, known.clientID != id {
        throw .usage(
          "the provider \(known.name) has another client than the login",
          hint: "a refresh token is good for its own client only: leave --provider out"
        )
      }
      (provider, isNew) = (known, false)
      return
    }
    let name = try session.providerName(name)
    let made =
      if let server = login.server {
        try Self.provider(of: server, login, named: name, session)
      } else {
        try Self.provider(of: login.client, named: name, session)
      }
    guard try files.names().contains(where: { $0.name == name }) else {
      (provider, isNew) = (made, true)
      return
    }
    let (known, _) = try files.read(name)
    guard known.issuer == made.issuer, known.clientID == made.clientID,
      known.onlyResource == made.onlyResource
    else {
      throw .usage(
        "the provider \(name) already exists, and is another one",
        hint: "give the account another NAME"
      )
    }
    (provider, isNew) = (known, false)
  }

  /// Writes the file of a new provider.
  func write() throws(CommandError) {
    guard isNew, provider.certificateAuthority == nil else { return }
    try files.put(provider, replacing: false)
  }

  // MARK: - Parts

  /// The provider of an MCP server, which names its authorization servers itself (RFC 9728).
  private static func provider(
    of server: String,
    _ login: ForeignLogin,
    named name: ProviderName,
    _ session: Session
  ) throws(CommandError) -> Provider {
    let url: String
    do throws(ConfigurationError) { url = try RequestTarget(server).text } catch {
      throw .usage("the URL of the MCP server cannot be used: \(error)")
    }
    let found = try ServerDiscovery(url, session)
    var issuer: String
    if let known = login.issuer {
      guard found.resource.issuers.contains(where: { $0.utf8.elementsEqual(known.utf8) }) else {
        throw CommandError(
          .serverError,
          "\(url) takes no tokens of \(known) any more",
          hint: "sign in again: thumblatch login \(name) --mcp \(url)"
        )
      }
      issuer = known
    } else {
      issuer = try found.issuer(session)
    }
    var settings = [
      "kind": Provider.Kind.oauth2.rawValue,
      "issuer": issuer,
      "client_id": login.clientID ?? "",
      "client_authentication":
        (login.clientSecret == nil ? OAuthSettings.ClientAuthentication.none : .basic).rawValue,
      "redirect_uri": LoopbackRedirect.standard.text,
      "resource": found.resource.resource,
      "resource_only": "true",
    ]
    if !login.scopes.isEmpty { settings["scope"] = login.scopes.joined(separator: " ") }
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
    return try found.metadata(of: draft, session).provider
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
