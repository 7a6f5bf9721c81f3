public import JSON

/// Looks at a provider: its metadata, its keys, and how the connection stands.
public struct TestProviderCall: VarlinkMethod, Equatable {
  /// What it brings.
  public typealias Reply = TestProviderReply
  /// The full name of the method.
  public static let method = "io.thumblatch.Vault.TestProvider"

  /// The provider.
  public var provider: VaultProvider
  /// Whether it is tried what the provider refuses, without a person: a redirect URI, a revocation.
  public var tries: Bool?

  /// Of these parts.
  public init(provider: VaultProvider, tries: Bool? = nil) {
    self.provider = provider
    self.tries = tries
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    provider = try object.required("provider")
    tries = try object.optional("tries")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) { try .wire(["provider": provider, "tries": tries]) }
  }
}

/// What was seen of a provider.
public struct TestProviderReply: VarlinkRecord, Equatable {
  /// Its issuer.
  public var issuer: String
  /// Whether it told its endpoints itself.
  public var discovered: Bool
  /// The whole URL of each endpoint that is known, by its key such as `token_endpoint`.
  public var endpoints: [String: String]
  /// How one can sign in: `browser`, `device`, `password`.
  public var flows: [String]
  /// How many keys for ID tokens it has that can be used; nil where none are needed.
  public var keys: Int?
  /// What may be wrong, a sentence each.
  public var warnings: [String]
  /// The scopes that it says it offers; `nil` if it says nothing.
  public var scopes: [String]?
  /// The scopes that a login asks for.
  public var askedScopes: [String]?

  /// Of these parts.
  public init(
    issuer: String,
    discovered: Bool,
    endpoints: [String: String],
    flows: [String],
    keys: Int? = nil,
    warnings: [String],
    scopes: [String]? = nil,
    askedScopes: [String]? = nil
  ) {
    self.issuer = issuer
    self.discovered = discovered
    self.endpoints = endpoints
    self.flows = flows
    self.keys = keys
    self.warnings = warnings
    self.scopes = scopes
    self.askedScopes = askedScopes
  }

  /// Reads the members.
  public init(decoding object: JSONObject) throws(MessageError) {
    issuer = try object.required("issuer")
    discovered = try object.required("discovered")
    endpoints = try object.required("endpoints")
    flows = try object.required("flows")
    keys = try object.optional("keys")
    warnings = try object.required("warnings")
    scopes = try object.optional("scopes")
    askedScopes = try object.optional("asked_scopes")
  }

  /// The members as JSON.
  public var encoded: JSONObject {
    get throws(MessageError) {
      try .wire([
        "issuer": issuer,
        "discovered": discovered,
        "endpoints": endpoints,
        "flows": flows,
        "keys": keys,
        "warnings": warnings,
        "scopes": scopes,
        "asked_scopes": askedScopes,
      ])
    }
  }
}
