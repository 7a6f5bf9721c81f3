internal import Configuration
internal import JSON
internal import ProtectedResources
internal import SecretMemory
internal import VaultClient
internal import VaultInterface

/// The statement of an MCP server about the tokens that it accepts (MCP, "Authorization"; RFC
/// 9728).
struct ServerDiscovery {
  /// The resource that tokens are for.
  let resource: ProtectedResource
  /// The scopes that the server asks for; empty if it names none.
  let scopes: [String]
  /// The scopes that its answer demands; `nil` if only its metadata may name some.
  let demanded: [String]?

  /// Asks the server without a token, and reads its metadata.
  init(_ url: String, _ session: Session) throws(CommandError) {
    let answer = try PublicDocument(
      url,
      sending: Self.initialize,
      accept: "application/json, text/event-stream",
      session
    )
    if (300...399).contains(answer.status), let location = answer.location {
      throw CommandError(
        .serverError,
        "\(url) redirects to \(location), which is not followed",
        hint: "if that is the server, give that URL to --mcp"
      )
    }
    let challenge = answer.status == 401 ? BearerChallenge(headers: answer.headers) : nil
    guard let resource = try Self.resource(of: url, challenge, session) else {
      throw CommandError(
        .serverError,
        "\(url) does not say where to sign in (HTTP \(answer.status), and no metadata of RFC 9728)",
        hint: "if it takes tokens: thumblatch provider add NAME --resource \(url) --set"
          + " resource_only=true, with --kind, --issuer and --client-id"
      )
    }
    self.resource = resource
    demanded = challenge?.scope.flatMap(ScopeList.scopes)
    scopes = demanded ?? resource.scopes ?? []
  }

  private static func resource(
    of url: String,
    _ challenge: BearerChallenge?,
    _ session: Session
  ) throws(CommandError) -> ProtectedResource? {
    do {
      for location in try ProtectedResource.locations(of: url, challenge: challenge) {
        let document = try PublicDocument(location, session)
        guard try document.isFound(at: location) else { continue }
        return try ProtectedResource(document.body.bytes, for: url, at: location)
      }
      return nil
    } catch let error as CommandError {
      throw error
    } catch {
      throw CommandError(.serverError, "\(error)", hint: "nothing was sent to another server")
    }
  }

  /// The message that opens a session; a server that takes tokens answers it with a challenge.
  private static let initialize: [UInt8] = {
    let message: JSONObject = [
      "jsonrpc": "2.0", "id": 1, "method": "initialize",
      "params": [
        "protocolVersion": "2025-06-18", "capabilities": .object(JSONObject()),
        "clientInfo": ["name": "thumblatch", "version": "1"],
      ],
    ]
    return (try? JSONWriter.write(.object(message))) ?? []
  }()

  // MARK: - The authorization server

  /// The issuer to sign in at: the only one, that of `--issuer`, or the one that the person
  /// chooses.
  func issuer(_ session: Session) throws(CommandError) -> String {
    let issuers = resource.issuers
    let listed = issuers.joined(separator: ", ")
    if let named = session.arguments.value(MCPLogin.issuer.name) {
      guard issuers.contains(where: { $0.utf8.elementsEqual(named.utf8) }) else {
        throw .usage(
          "\(resource.resource) takes no tokens of \(named)",
          hint: "--issuer is one of: \(listed) (exact match, including a trailing slash)"
        )
      }
      return named
    }
    guard issuers.count > 1 else { return issuers[0] }
    _ = try session.terminal(
      for: "the choice of an authorization server (\(listed))",
      instead: "--issuer URL"
    )
    let choices = issuers.map { Choice(name: $0, meaning: "") }
    return issuers[try session.choose("Where do you want to sign in?", among: choices)]
  }

  /// The metadata of an authorization server, as the engine reads it.
  ///
  /// - Parameters:
  ///   - provider: a provider of its issuer.
  ///   - session: the session.
  /// - Returns: the provider, with the location of the metadata if that is not the usual one.
  /// - Throws: exit 2 for metadata that cannot be used.
  func metadata(
    of provider: Provider,
    _ session: Session
  ) throws(CommandError) -> (provider: Provider, metadata: TestProviderReply) {
    let metadata: TestProviderReply
    var provider = provider
    do throws(CommandError) {
      metadata = try Self.test(provider, session)
    } catch {
      // OpenID Connect documents may also be where RFC 8414, section 5, puts them.
      guard error.reason == .misconfigured, !provider.issuer.path.isEmpty,
        let other = Self.moved(provider)
      else { throw error }
      guard let reply = try? Self.test(other, session) else { throw error }
      (provider, metadata) = (other, reply)
    }
    guard metadata.pkce == true else {
      throw CommandError(
        .usage,
        "\(provider.issuer) does not advertise PKCE with S256: others could use a stolen code",
        hint: "tell the operator of the MCP server",
        reason: .misconfigured
      )
    }
    return (provider, metadata)
  }

  private static func test(
    _ provider: Provider,
    _ session: Session
  ) throws(CommandError) -> TestProviderReply {
    try session.call(within: Session.remoteLimit) { _ in
      TestProviderCall(provider: VaultProvider(provider))
    }
  }

  private static func moved(_ provider: Provider) -> Provider? {
    var settings = provider.settings
    settings["discovery_url"] =
      "\(provider.issuer.origin)/.well-known/openid-configuration\(provider.issuer.path)"
    return try? Provider(
      name: provider.name,
      settings: settings,
      clientSecret: provider.oauth?.clientSecret
    )
  }
}
