internal import Configuration
internal import LoopbackLogin
internal import PlainText
internal import ProtectedResources
internal import Providers
internal import SecretMemory
internal import System
internal import VaultInterface

/// A login for an MCP server, whose own documents say where its accounts sign in.
///
/// The result is a provider file of the account's name, and everything else is as for any provider.
struct MCPLogin {
  static let server = Verb.Option(
    "--mcp",
    "URL",
    "sign in for an MCP server, whose metadata says where; only that server gets the token"
  )
  static let issuer = Verb.Option(
    "--issuer",
    "URL",
    "with --mcp: which of the server's authorization servers is used"
  )
  private static let client = Verb.Option(
    "--client-id",
    "ID",
    "with --mcp: the ID of a client that is registered already"
  )
  private static let metadata = Verb.Option(
    "--client-metadata",
    "URL",
    "with --mcp: the https URL of a client metadata document, which serves as the client ID"
  )
  private static let redirect = Verb.Option(
    "--redirect-uri",
    "URL",
    "with --mcp: the address on this machine that the browser returns to"
  )
  static let options = [server, issuer, client, metadata, redirect]

  let session: Session
  /// The URL of the server.
  let url: String
  let name: ProviderName
  let files: ProviderFiles

  private var arguments: Arguments { session.arguments }

  /// The login that the words ask for; `nil` if they ask for another one.
  init?(_ session: Session) throws(CommandError) {
    let arguments = session.arguments
    guard let url = arguments.value(Self.server.name) else {
      guard let stray = Self.options.first(where: { arguments.has($0.name) }) else { return nil }
      throw .usage("\(stray.name) is for --mcp URL")
    }
    guard !arguments.has("--provider"), !arguments.has("--password") else {
      throw .usage(
        "--mcp cannot be combined with --provider or --password: the server says where to sign in"
      )
    }
    guard let word = arguments.operands.first else {
      throw .usage("ACCOUNT is missing", hint: "usage: thumblatch login ACCOUNT --mcp URL")
    }
    do throws(ConfigurationError) { self.url = try RequestTarget(url).text } catch {
      throw .usage("--mcp: \(error)")
    }
    self.session = session
    name = try session.providerName(word)
    files = try ProviderFiles(environment: session.environment)
  }

  /// Finds out where to sign in.
  func found() throws(CommandError) -> Found {
    try session.demandInput(for: "a sign-in at \(name)")
    let known = try knownProvider()
    let found = try ServerDiscovery(url, session)
    let issuer = try found.issuer(session)
    let first = try made(issuer, found, client: Client(id: "draft"), redirect: .standard)
    if let known { try confirmChange(of: known.issuer, to: first.issuer) }
    let (draft, metadata) = try found.metadata(of: first, session)
    let former = known.flatMap { $0.issuer == first.issuer ? $0 : nil }
    let scopes = try self.scopes(found, metadata, former?.oauth)
    session.output.talk("\(found.resource.resource) takes tokens of \(issuer)")
    if found.resource.isWider {
      session.output.talk(
        "the token is for all of \(found.resource.resource), not only for \(url)"
      )
    }
    if let former, let oauth = former.oauth, keeps(oauth) {
      let provider = try changed(former, resource: found.resource.resource, scopes: scopes)
      return Found(provider: provider, known: known, files: files)
    }
    let redirect = try redirect()
    let client = try client(metadata, draft, redirect, found, scopes)
    let provider = try made(
      issuer,
      found,
      client: client,
      redirect: redirect,
      scopes: scopes,
      discoveryURL: draft.oauth?.discoveryURL
    )
    return Found(provider: provider, known: known, files: files)
  }

  /// Whether a login uses the client of an earlier one: no option names another.
  private func keeps(_ former: OAuthSettings) -> Bool {
    let options = [
      (Self.client, former.clientID), (Self.metadata, former.clientID),
      (Self.redirect, former.redirect.text),
    ]
    return options.allSatisfy { option, value in
      arguments.value(option.name)?.isByteEqual(to: value) ?? true
    }
  }

  /// The provider of an earlier login for the same server.
  private func knownProvider() throws(CommandError) -> Provider? {
    guard try files.names().contains(where: { $0.name == name }) else { return nil }
    let (known, source) = try files.read(name)
    guard source == .user, let resource = known.onlyResource,
      let home = try? RequestTarget(resource),
      (try? RequestTarget(url))?.isInside(home) == true
    else {
      throw .usage(
        "the provider \(name) already exists, and is not for \(url)",
        hint: "choose another name for the account: thumblatch login NAME --mcp \(url); or, if"
          + " nothing needs that provider: thumblatch provider remove \(name)"
      )
    }
    return known
  }

  /// The scopes to ask for: what the server needs, what was asked for before, and `--scope`.
  private func scopes(
    _ found: ServerDiscovery,
    _ metadata: TestProviderReply,
    _ former: OAuthSettings?
  ) throws(CommandError) -> [String] {
    // A server may list more scopes than can be asked for.
    let needed = arguments.has("--scope") ? found.demanded ?? [] : found.scopes
    let words = needed + (former?.scopes ?? [])
    let offline = metadata.scopes?.contains(OAuthSettings.offlineScope) == true
    return try ScopeUnion.of(
      words + (offline ? [OAuthSettings.offlineScope] : []),
      arguments.value("--scope")
    )
  }

  // MARK: - The client

  private struct Client {
    let id: String
    var secret: ClientSecret?
    var authentication = OAuthSettings.ClientAuthentication.none
  }

  private func client(
    _ metadata: TestProviderReply,
    _ draft: Provider,
    _ redirect: LoopbackRedirect,
    _ found: ServerDiscovery,
    _ scopes: [String]
  ) throws(CommandError) -> Client {
    if let id = arguments.value(Self.client.name) { return Client(id: id) }
    if let document = arguments.value(Self.metadata.name) {
      guard metadata.clientMetadata else {
        throw .usage(
          "\(draft.issuer) takes no client metadata document",
          hint: "leave \(Self.metadata.name) out"
        )
      }
      guard document.hasPrefix("https://"), let target = try? RequestTarget(document),
        target.path.utf8.count > 1
      else { throw .usage("\(Self.metadata.name) must be an https URL with a path") }
      return Client(id: document)
    }
    let document =
      metadata.clientMetadata
      ? "; for a client metadata document, replace --client-id ID by --client-metadata URL" : ""
    let byHand =
      "register a public client there with the redirect URI \(redirect.text); then: thumblatch login"
      + " \(name) --mcp \(url) --client-id ID --redirect-uri \(redirect.text)\(document)"
    guard let endpoint = metadata.registration else {
      throw .usage("\(draft.issuer) has no dynamic client registration", hint: byHand)
    }
    guard let target = try? RequestTarget(endpoint),
      target.scheme == "https" || draft.issuer.isPlain
    else {
      throw .usage("\(draft.issuer) has a registration endpoint without https", hint: byHand)
    }
    let known = (try? ScopeUnion.of(scopes + (found.resource.scopes ?? []), nil)) ?? scopes
    let registered = try ClientRegistration.made(
      at: target.text,
      redirect: redirect.text,
      scopes: known,
      listed: metadata.clientAuthentication,
      session
    )
    switch registered {
    case .success(let made):
      return Client(
        id: made.clientID,
        secret: made.clientSecret,
        authentication: made.authentication
      )
    case .failure(let error):
      throw CommandError(
        .serverError,
        "\(draft.issuer) did not register the client: \(error)",
        hint: byHand
      )
    }
  }

  /// The redirect URI, with a port that is kept if none is given: servers compare it.
  private func redirect() throws(CommandError) -> LoopbackRedirect {
    do throws(ConfigurationError) {
      if let text = arguments.value(Self.redirect.name) { return try LoopbackRedirect(text) }
      // A registered client of the person's own, or of a document, has a redirect URI without a
      // port.
      guard !arguments.has(Self.client.name), !arguments.has(Self.metadata.name) else {
        return .standard
      }
      for _ in 0..<20 {
        // Below the ports that the kernel gives to connections.
        let port = UInt16.random(in: 20_000...32_000)
        let redirect = try LoopbackRedirect(LoopbackRedirect.standard.url(port: port))
        if (try? LoopbackPort(redirect, listening: false)) != nil { return redirect }
      }
      return .standard.withFixedPort
    } catch {
      throw .usage("\(Self.redirect.name): \(error)")
    }
  }

  // MARK: - The provider

  /// The provider of an earlier login, for this resource and these scopes.
  private func changed(
    _ former: Provider,
    resource: String,
    scopes: [String]
  ) throws(CommandError) -> Provider {
    if former.onlyResource == resource, former.oauth.map({ Set($0.scopes) }) == Set(scopes) {
      return former
    }
    var settings = former.settings
    settings["resource"] = resource
    settings["scope"] = scopes.isEmpty ? nil : scopes.joined(separator: " ")
    return try checked(settings, former.oauth?.clientSecret)
  }

  private func made(
    _ issuer: String,
    _ found: ServerDiscovery,
    client: Client,
    redirect: LoopbackRedirect,
    scopes: [String] = [],
    discoveryURL: String? = nil
  ) throws(CommandError) -> Provider {
    var settings = [
      "kind": Provider.Kind.oauth2.rawValue,
      "issuer": issuer,
      "client_id": client.id,
      "client_authentication": client.authentication.rawValue,
      "redirect_uri": redirect.text,
      "resource": found.resource.resource,
      "resource_only": "true",
      // The server's provider is not known. Many end all logins of a client with one token of it.
      "revocation_ends": Provider.RevocationEnds.allLogins.rawValue,
    ]
    if !scopes.isEmpty { settings["scope"] = scopes.joined(separator: " ") }
    settings["discovery_url"] = discoveryURL
    return try checked(settings, client.secret)
  }

  private func checked(
    _ settings: [String: String],
    _ secret: ClientSecret?
  ) throws(CommandError) -> Provider {
    do throws(ConfigurationError) {
      let provider = try Provider(name: name, settings: settings, clientSecret: secret)
      // A server of another machine cannot send the browser to a program of this one.
      guard !provider.issuer.isPlain || url.hasPrefix("http://") else {
        throw ConfigurationError(.badValue(text: nil, rule: "an https:// URL"), key: "issuer")
      }
      return provider
    } catch {
      throw CommandError(
        .serverError,
        "the settings for \(url) cannot be used: \(error)",
        hint: "check the options; if they are right, tell the operator of the MCP server"
      )
    }
  }
}
