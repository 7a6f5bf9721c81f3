public import Configuration
public import JSON
public import SecretMemory

/// A provider's metadata: OpenID Connect Discovery 1.0, section 3, and RFC 8414.
public struct ServerMetadata: Sendable {
  /// The most bytes of a document.
  public static let maximumCount = 64 * 1024

  /// The endpoints that the document names.
  public let endpoints: [OAuthEndpoint: String]
  /// Whether redirects name their issuer (RFC 9207, section 3).
  public let responseIssuerRequired: Bool
  /// The supported grants; `nil` if the document does not say.
  public let grants: Set<String>?
  /// Whether PKCE with S256 is supported; `nil` if the document does not say.
  public let takesS256: Bool?
  /// Whether authorization requests must be pushed first (RFC 9126, section 5).
  let requiresPushedRequests: Bool
  /// The signature algorithms of ID tokens; `nil` if the document does not say.
  public let algorithms: Set<String>?
  /// The scopes on offer; `nil` if the document does not say.
  public let scopes: Set<String>?
  /// The client authentication methods of the token endpoint; `nil` if the document does not say.
  public let tokenAuthentication: Set<String>?
  /// The client authentication methods of the revocation endpoint; `nil` if the document does not
  /// say.
  public let revocationAuthentication: Set<String>?
  /// The URL that registers clients (RFC 7591); `nil` if there is none.
  public let registrationEndpoint: String?
  /// Whether a client identifier may be the URL of the client's metadata.
  public let takesClientMetadata: Bool
  /// The claims of ID tokens; `nil` if the document does not say.
  let claims: Set<String>?

  /// The requests for the possible locations of the document, the likelier one first; empty if
  /// discovery is off.
  ///
  /// The second is used if the first answers 404 or any other failure.
  public static func requests(for provider: Provider) -> [ProviderRequest] {
    guard let settings = provider.oauth, settings.discovery == .auto else { return [] }
    let urls: [String]
    if let url = settings.discoveryURL {
      urls = [url]
    } else {
      let issuer = provider.issuer
      // OpenID Connect appends its name to the issuer's path (Discovery 1.0, section 4). OAuth
      // inserts it before the path (RFC 8414, section 3.1).
      let openID = issuer.base + "/.well-known/openid-configuration"
      let oauth = issuer.origin + "/.well-known/oauth-authorization-server" + issuer.path
      urls = provider.kind == .oidc ? [openID, oauth] : [oauth, openID]
    }
    return urls.map { url in
      ProviderRequest(method: "GET", url: url, headers: ["Accept: application/json"], body: nil)
    }
  }

  /// Reads a document.
  ///
  /// - Throws: `MetadataError`. A document of another issuer is refused, because it would send
  ///   sign-ins to that issuer (RFC 8414, section 3.3).
  public init(_ body: borrowing SecretBytes, for provider: Provider) throws(MetadataError) {
    guard body.count <= Self.maximumCount else { throw .tooLong }
    guard case .object(let object) = Answer(body, secretMembers: []) else { throw .notAnObject }
    let issuer: String
    do throws(JSONError) {
      issuer = try object.string("issuer")
      try self.init(object)
    } catch {
      throw .member(error)
    }
    // Compare bytes: two spellings may be two tenants of one host.
    guard issuer.utf8.elementsEqual(provider.issuer.text.utf8) else {
      throw .otherIssuer(found: DisplayText.ascii(issuer, most: 300))
    }
  }

  private init(_ object: JSONObject) throws(JSONError) {
    var endpoints: [OAuthEndpoint: String] = [:]
    for endpoint in OAuthEndpoint.allCases where endpoint != .introspection {
      endpoints[endpoint] = try object.optionalString(endpoint.key)
    }
    // As below: no sign-in needs it.
    endpoints[.introspection] = try? object.optionalString(OAuthEndpoint.introspection.key)
    self.endpoints = endpoints
    responseIssuerRequired =
      try object.optionalBoolean("authorization_response_iss_parameter_supported") ?? false
    grants = try Self.words("grant_types_supported", object)
    let methods = try Self.words("code_challenge_methods_supported", object)
    takesS256 = methods.map { $0.contains("S256") }
    algorithms = try Self.words("id_token_signing_alg_values_supported", object)
    // Only a warning or a default depends on these members, so an error in them must not prevent a
    // sign-in.
    registrationEndpoint = try? object.optionalString("registration_endpoint")
    takesClientMetadata =
      (try? object.optionalBoolean("client_id_metadata_document_supported")) ?? false
    requiresPushedRequests =
      (try? object.optionalBoolean("require_pushed_authorization_requests")) ?? false
    scopes = try? Self.words("scopes_supported", object)
    claims = try? Self.words("claims_supported", object)
    tokenAuthentication = try? Self.words("token_endpoint_auth_methods_supported", object)
    revocationAuthentication = try? Self.words("revocation_endpoint_auth_methods_supported", object)
  }

  private static func words(
    _ name: String,
    _ object: JSONObject
  ) throws(JSONError) -> Set<String>? {
    guard let values = try object.optionalArray(name) else { return nil }
    var words: Set<String> = []
    for value in values {
      if case .unusable = value { continue }
      guard case .string(let word) = value else { throw .wrongType(name) }
      // Algorithms, grants and methods are short ASCII. Nothing else is hashed.
      if word.utf8.count <= 256, word.utf8.allSatisfy({ $0 < 0x80 }) { words.insert(word) }
    }
    return words
  }

  /// Returns the provider completed with the endpoints that its own file does not name.
  ///
  /// - Throws: `MetadataError.setting` for a URL that a file could not have: plain http although
  ///   the issuer uses https, or a URL with user information.
  public func completed(_ provider: Provider) throws(MetadataError) -> Provider {
    do throws(ConfigurationError) {
      return try provider.completed(
        with: endpoints,
        responseIssuerRequired: responseIssuerRequired,
        offeredScopes: scopes
      )
    } catch {
      throw .setting(error)
    }
  }

  /// Warns of requested scopes that are not offered.
  private func scopeWarnings(for provider: Provider) -> [String] {
    guard let scopes, let asked = provider.oauth?.scopes else { return [] }
    let missing = asked.filter { !scopes.contains($0) }
    guard !missing.isEmpty else { return [] }
    return [
      "does not list the scopes \(missing.joined(separator: " ")), which a login asks for"
        + " (scopes_supported): it may refuse them"
    ]
  }

  private static func list(_ words: Set<String>) -> String {
    let sorted = words.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return DisplayText.of(sorted.joined(separator: ", "), most: 200) ?? "none"
  }

  /// Possible problems with this provider although its document is readable, one line each.
  public func warnings(for provider: Provider) -> [String] {
    var warnings: [String] = []
    if takesS256 == false {
      warnings.append("does not list PKCE with S256: a stolen code could be used by others")
    }
    if requiresPushedRequests {
      warnings.append(
        "requires pushed authorization requests (PAR, RFC 9126), which are not supported: turn them"
          + " off for this client at the provider, or use --device"
      )
    }
    if let grants, !grants.contains("refresh_token"), provider.oauth?.discovery == .auto {
      warnings.append("does not list the grant refresh_token: logins may not last")
    }
    if let algorithms, let accepted = provider.oauth?.idTokenAlgorithms, !accepted.isEmpty,
      algorithms.isDisjoint(with: accepted.map(\.rawValue))
    {
      warnings.append(
        "signs ID tokens with \(Self.list(algorithms)), but only this is accepted:"
          + " \(accepted.map(\.rawValue).joined(separator: ", ")) (id_token_algorithms)"
      )
    }
    warnings += scopeWarnings(for: provider)
    warnings += authenticationWarnings(for: provider)
    // These claims are GitLab's own. There a refresh that names fewer scopes narrows the grant
    // permanently.
    if claims?.contains(where: { $0.hasPrefix("https://gitlab.org/") }) == true,
      provider.oauth?.refreshScope != .whole
    {
      warnings.append(
        "is a GitLab, which narrows a login for good when a token for fewer scopes is asked for: set"
          + " refresh_scope = whole and refresh_ends_access_tokens = true (--template gitlab)"
      )
    }
    return warnings
  }

  /// A client secret that would be sent in a way that the document does not list.
  ///
  /// Nothing is said of a public client: many documents leave it out.
  private func authenticationWarnings(for provider: Provider) -> [String] {
    let ways: [OAuthSettings.ClientAuthentication] = [.post, .basic]
    guard let listed = tokenAuthentication, let own = provider.oauth?.clientAuthentication,
      ways.contains(own), !listed.contains(own.registeredName),
      let other = ways.first(where: { listed.contains($0.registeredName) })
    else { return [] }
    return ["does not list \(own.registeredName): set client_authentication = \(other.rawValue)"]
  }
}

/// Why a metadata document is not used.
public enum MetadataError: Error, Equatable, Sendable, CustomStringConvertible {
  /// More than `ServerMetadata.maximumCount` bytes.
  case tooLong
  /// Not one JSON object, or an object with a repeated member.
  case notAnObject
  /// A member is missing or of the wrong type.
  case member(JSONError)
  /// The document names another issuer than the requested one; `found` is fit to be shown.
  case otherIssuer(found: String)
  /// A URL in it cannot be an endpoint.
  case setting(ConfigurationError)

  /// One line that quotes nothing from the document.
  public var description: String {
    switch self {
    case .tooLong: "the provider's metadata is too long"
    case .notAnObject: "the provider's metadata is not a JSON object"
    case .member(let error): "the provider's metadata: \(error)"
    case .otherIssuer(let found):
      "the provider's metadata is for the issuer \(found), which differs from the one in its file"
        + " (an exact match is needed, including a trailing slash)"
    case .setting(let error): "the provider's metadata: \(error)"
    }
  }
}
