import Configuration
import Testing

@Suite
struct DiscoveredSettingsTests {
  private let found: [OAuthEndpoint: String] = [
    .token: "https://id.example.com/t", .jwks: "https://id.example.com/k",
    .authorization: "https://id.example.com/a",
  ]

  @Test
  func discoveryFillsInOnlyWhatIsNotSet() throws {
    let written = try made(["token_endpoint": "https://id.example.com/mine"])
    let completed = try written.completed(with: found, responseIssuerRequired: true)
    #expect(completed.endpoint(.token) == "https://id.example.com/mine")
    #expect(completed.endpoint(.authorization) == "https://id.example.com/a")
    #expect(completed.oauth?.responseIssuerRequired == true)
    #expect(
      completed.oauth?.discovered == ["authorization_endpoint", "jwks_uri", "response_iss"]
    )
    #expect(completed != written)
    #expect(completed.asWritten == written)
    #expect(completed.asWritten.canonicalForm == written.canonicalForm)
  }

  @Test
  func aSecondDiscoveryReplacesWhatTheFirstOneFound() throws {
    let first = try made().completed(with: found, responseIssuerRequired: true)
    let second = try first.completed(
      with: [.token: "https://id.example.com/t2"],
      responseIssuerRequired: false
    )
    #expect(second.endpoint(.token) == "https://id.example.com/t2")
    #expect(second.endpoint(.jwks) == nil)
    #expect(second.oauth?.discovered == ["token_endpoint"])
    #expect(try second.asWritten == made())
  }

  @Test
  func scopesThatAreNotOfferedAreBoundAndAFileIsStillTheSame() throws {
    let written = try made()
    let completed = try written.completed(
      with: found,
      responseIssuerRequired: false,
      offeredScopes: ["openid", "email"]
    )
    #expect(completed.oauth?.scopes == ["openid"])
    #expect(completed.oauth?.discovered.contains("scope") == true)
    #expect(completed.asWritten == written)
    #expect(completed.asWritten.oauth?.scopes == ["offline_access", "openid"])
    #expect(
      try Provider(name: completed.name, canonicalForm: completed.canonicalForm) == completed
    )
    // This program never writes a note about other scopes.
    var settings = completed.settings
    settings["scope"] = "openid read"
    #expect(throws: ConfigurationError.self) {
      try Provider(name: ProviderName("dev"), boundSettings: settings)
    }
  }

  @Test
  func whatDiscoveryFoundIsBoundAndReadsBack() throws {
    let completed = try made().completed(with: found, responseIssuerRequired: false)
    let name = completed.name
    #expect(try Provider(name: name, canonicalForm: completed.canonicalForm) == completed)
    #expect(try Provider(name: name, boundSettings: completed.settings) == completed)
    // A file must not claim that discovery filled in its settings.
    let error = #expect(throws: ConfigurationError.self) {
      try Provider(name: name, settings: completed.settings)
    }
    #expect(error?.key == "discovered")
  }

  @Test(arguments: ["http://id.example.com/t", "http://127.0.0.1/t", "nonsense", ""])
  func discoveryCannotLeadOutOfTLS(_ url: String) throws {
    let error = #expect(throws: ConfigurationError.self) {
      try made().completed(with: [.token: url], responseIssuerRequired: false)
    }
    #expect(error?.key == "token_endpoint")
  }

  /// Only a client with a secret may ask there, and no sign-in depends on it.
  @Test
  func introspectionIsForClientsWithASecret() throws {
    let url = "https://id.example.com/introspect"
    func completed(_ url: String, _ settings: [String: String?]) throws -> Provider {
      try made(settings).completed(with: [.introspection: url], responseIssuerRequired: false)
    }
    let confidential = try completed(url, ["client_secret": "s"])
    #expect(confidential.endpoint(.introspection) == url)
    #expect(confidential.oauth?.discovered == ["introspection_endpoint"])
    #expect(try confidential.asWritten == made(["client_secret": "s"]))
    #expect(try completed(url, [:]) == made())
    for wrong in ["http://id.example.com/introspect", "nonsense", ""] {
      #expect(try completed(wrong, ["client_secret": "s"]) == made(["client_secret": "s"]))
    }
  }

  @Test
  func withoutDiscoveryNothingIsFilledIn() throws {
    let written = try made(byHand)
    let completed = try written.completed(
      with: found.merging([.userinfo: "https://id.example.com/u"]) { $1 },
      responseIssuerRequired: true
    )
    #expect(completed == written)
  }

  @Test
  func plainOAuthTakesNoKeysFromDiscovery() throws {
    let completed = try made(["kind": "oauth2"])
      .completed(with: found, responseIssuerRequired: false)
    #expect(completed.endpoint(.jwks) == nil)
    #expect(completed.endpoint(.token) == "https://id.example.com/t")
  }

  @Test(arguments: [
    "token_endpoint", "client_id", "response_iss", "jwks_uri;authorization_endpoint",
    "authorization_endpoint;authorization_endpoint", "", ";",
  ])
  func aFalseNoteOfWhatWasDiscoveredIsDamage(_ note: String) throws {
    var settings = oauthBase
    settings["authorization_endpoint"] = "https://id.example.com/a"
    settings["jwks_uri"] = "https://id.example.com/k"
    settings["discovered"] = note
    #expect(throws: ConfigurationError.self) {
      try Provider(name: ProviderName("dev"), boundSettings: settings)
    }
  }
}

@Suite
struct OAuthCanonicalFormTests {
  @Test
  func spellingsOfTheSameProviderHaveOneForm() throws {
    let plain = try made()
    let written = try made([
      "scope": "openid  offline_access openid", "redirect_uri": "http://127.0.0.1/callback",
      "client_authentication": "none", "id_token_algorithms": "EdDSA;ES256;PS256;RS256",
      "discovery": "auto", "id_field": "sub", "refresh_ends_access_tokens": "false",
    ])
    #expect(plain.canonicalForm == written.canonicalForm)
    #expect(plain == written)
  }

  @Test(arguments: [
    ("kind", "oauth2"), ("issuer", "https://id.example.com/realm"), ("client_id", "other"),
    ("client_secret", "s"), ("scope", "openid"), ("audience", "a"), ("resource", "urn:x"),
    ("authorization_endpoint", "https://x.example/"), ("token_endpoint", "https://x.example/"),
    ("device_authorization_endpoint", "https://x.example/"), ("jwks_uri", "https://x.example/"),
    ("userinfo_endpoint", "https://x.example/"), ("revocation_endpoint", "https://x.example/"),
    ("introspection_endpoint", "https://x.example/"),
    ("discovery_url", "https://x.example/"), ("redirect_uri", "http://127.0.0.1/"),
    ("authorization_parameters", "prompt=login"), ("password_grant", "true"),
    ("id_token_algorithms", "RS256"), ("response_iss", "required"), ("id_field", "id"),
    ("refresh_ends_access_tokens", "true"), ("refresh_scope", "whole"), ("refresh_scope", "any"),
    ("loopback_users", "998"), ("revocation_ends", "all-logins"),
    ("id_token_algorithms", "RS256;ES512"),
  ])
  func everySettingIsInTheForm(_ key: String, _ value: String) throws {
    #expect(try made([key: value]).canonicalForm != made().canonicalForm)
  }

  @Test
  func theFormIsFixed() throws {
    // Accounts are bound to the hash of these bytes: they change only with a new version byte.
    var expected: [UInt8] = [1]
    for text in [
      "access_token_field", "access_token", "client_authentication", "none", "client_id", "cli",
      "created_at_field", "created_at",
      "discovery", "auto", "email_field", "email", "email_verified_field", "email_verified",
      "empty_refusal", "false", "error_field", "error", "expires_in_field", "expires_in",
      "id_field", "sub", "id_token_algorithms", "RS256;PS256;ES256;EdDSA", "invalid_grant_value",
      "invalid_grant", "issuer", "https://id.example.com/realm/", "kind", "oidc",
      "message_field", "error_description", "name_field", "name", "password_grant", "false",
      "redirect_uri", "http://127.0.0.1/callback", "refresh_reuse", "retry",
      "refresh_token_field", "refresh_token", "response_iss", "optional", "role_field", "role",
      "scope", "offline_access openid", "scope_field", "scope", "token_type_field",
      "token_type",
    ] {
      expected += [0, 0, 0, UInt8(text.utf8.count)] + Array(text.utf8)
    }
    #expect(try made().canonicalForm == expected)
  }

  @Test
  func aDamagedFormIsRefusedAndNeverTraps() throws {
    let provider = try made(byHand)
    let form = provider.canonicalForm
    for index in form.indices {
      var damaged = form
      damaged[index] ^= 0xFF
      #expect(throws: ConfigurationError.self) {
        try Provider(name: provider.name, canonicalForm: damaged)
      }
    }
  }

  @Test
  func aFileReadsBackAsTheProvider() throws {
    let all: [String: String?] = byHand.merging([
      "client_secret": "s", "scope": "openid email", "authorization_parameters": "a=%25",
      "redirect_uri": "http://localhost", "id_field": "id", "resource": "urn:a;urn:b",
    ]) { $1 }
    let completed = try made().completed(
      with: [.token: "https://id.example.com/t"],
      responseIssuerRequired: true
    )
    for provider in [try made(), try made(all), try made(["kind": "oauth2"])] {
      let contents = try ProviderFile.contents(for: provider)
      #expect(try ProviderFile.parse(bytes: contents, file: "/x/dev.conf") { $0 } == provider)
      let whole = text(contents)
      let read = try ProviderFile.parse(text: whole, name: provider.name, file: "dev.conf") { $0 }
      #expect(read == provider)
      // The text without secrets lacks only that line.
      let plain = try ProviderFile.text(for: provider)
      #expect(whole.replacing("client_secret = s\n", with: "") == plain)
    }
    // A file has the person's choices, not the discovered settings.
    #expect(try ProviderFile.text(for: completed) == ProviderFile.text(for: made()))
  }
}
