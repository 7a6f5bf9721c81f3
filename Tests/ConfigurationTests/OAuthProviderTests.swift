import Configuration
import Testing

@Suite
struct OAuthProviderTests {
  @Test
  func theDefaultsOfOpenIDConnect() throws {
    let provider = try made()
    let oauth = try #require(provider.oauth)
    #expect(provider.kind == .oidc)
    #expect(oauth.clientID == "cli")
    #expect(oauth.clientSecret == nil)
    #expect(oauth.clientAuthentication == .none)
    #expect(oauth.scopes == ["offline_access", "openid"])
    #expect(oauth.audience == nil)
    #expect(oauth.resources.isEmpty)
    #expect(oauth.discovery == .auto)
    #expect(oauth.redirect.text == "http://127.0.0.1/callback")
    #expect(oauth.redirect.url(port: 4711) == "http://127.0.0.1:4711/callback")
    #expect(!oauth.passwordGrant)
    #expect(oauth.idTokenAlgorithms == OAuthSettings.IDTokenAlgorithm.allCases)
    #expect(!oauth.responseIssuerRequired)
    #expect(!oauth.refreshEndsAccessTokens)
    #expect(oauth.refreshScope == nil)
    #expect(oauth.discovered.isEmpty)
    #expect(OAuthEndpoint.allCases.allSatisfy { provider.endpoint($0) == nil })
    #expect(provider.name(of: .id) == "sub")
    #expect(provider.name(of: .message) == "error_description")
    #expect(provider.name(of: .accessToken) == "access_token")
    #expect(provider.name(of: .user) == nil)
    #expect(provider.name(of: .password) == nil)
  }

  @Test
  func theDefaultsOfPlainOAuth() throws {
    let oauth = try oauthOf(["kind": "oauth2"])
    #expect(oauth.scopes.isEmpty)
    #expect(oauth.idTokenAlgorithms.isEmpty)
  }

  @Test
  func aTokenMayBeForOneResourceOnly() throws {
    let url = "https://mcp.example.com/mcp"
    let provider = try made(["kind": "oauth2", "resource": url, "resource_only": "true"])
    #expect(provider.onlyResource == url)
    #expect(provider.settings["resource_only"] == "true")
    #expect(try Provider(name: provider.name, settings: provider.settings) == provider)
    for resource in [nil, "urn:b", url + "?x=y", url + "/../x", "\(url);https://b.example/"] {
      let error = try #require(
        #expect(throws: ConfigurationError.self) {
          try made(
            ["resource_only": "true"].merging(resource.map { ["resource": $0] } ?? [:]) { $1 }
          )
        }
      )
      #expect(error.key == "resource")
    }
    let hosts = #expect(throws: ConfigurationError.self) {
      try made(["resource": url, "resource_only": "true", "api_hosts": "a.example"])
    }
    #expect(hosts?.key == "api_hosts")
  }

  @Test
  func aPasswordBackendHasNothingOfOAuth() throws {
    let provider = try Provider(
      name: ProviderName("dev"),
      settings: ["kind": "password-backend", "issuer": "https://id.example.com"]
    )
    #expect(provider.oauth == nil)
    #expect(provider.endpoint(.token) == nil)
    #expect(provider.asWritten == provider)
    #expect(
      try provider.completed(
        with: [.token: "https://evil.example/"],
        responseIssuerRequired: true
      ) == provider
    )
  }

  @Test
  func everySettingIsTaken() throws {
    let provider = try made([
      "client_secret": "GOCSPX-not~a~secret", "client_authentication": "post",
      "scope": "profile openid  email openid", "audience": "https://api.example.com/",
      "resource": "urn:b; https://a.example.com/x?y=z", "discovery_url": "https://x.example/m",
      "authorization_endpoint": "https://ID.example.com:443/authorize?p=signin",
      "device_authorization_endpoint": "https://id.example.com/device/",
      "redirect_uri": "http://localhost:8400/", "password_grant": "true",
      "authorization_parameters": "prompt=consent&access_type=a%20b%26c",
      "id_token_algorithms": "EdDSA;RS256", "response_iss": "required", "id_field": "id",
      "refresh_ends_access_tokens": "true", "refresh_scope": "whole",
    ])
    let oauth = try #require(provider.oauth)
    #expect(text(oauth.clientSecret) == "GOCSPX-not~a~secret")
    #expect(oauth.clientAuthentication == .post)
    #expect(oauth.scopes == ["email", "openid", "profile"])
    #expect(oauth.audience == "https://api.example.com/")
    #expect(oauth.resources == ["https://a.example.com/x?y=z", "urn:b"])
    #expect(oauth.discoveryURL == "https://x.example/m")
    #expect(provider.endpoint(.authorization) == "https://id.example.com/authorize?p=signin")
    #expect(provider.endpoint(.deviceAuthorization) == "https://id.example.com/device/")
    #expect(oauth.redirect.port == 8400)
    #expect(oauth.redirect.text == "http://localhost:8400/")
    #expect(oauth.passwordGrant)
    #expect(oauth.authorizationParameters.map(\.name) == ["access_type", "prompt"])
    #expect(oauth.authorizationParameters.map(\.value) == ["a b&c", "consent"])
    #expect(oauth.idTokenAlgorithms == [.rs256, .edDSA])
    #expect(oauth.responseIssuerRequired)
    #expect(oauth.refreshEndsAccessTokens)
    #expect(oauth.refreshScope == .whole)
    #expect(!oauth.resourceOnly && provider.onlyResource == nil)
    #expect(provider.name(of: .id) == "id")
    #expect(
      try Provider(
        name: provider.name,
        settings: provider.settings,
        clientSecret: oauth.clientSecret
      ) == provider
    )
  }

  @Test
  func anIssuerStaysAsItIsWritten() throws {
    let provider = try made()
    #expect(provider.issuer.text == "https://id.example.com/realm/")
    #expect(provider.issuer.base == "https://id.example.com/realm")
    #expect(provider.issuer.origin == "https://id.example.com")
    #expect(provider.issuer.path == "/realm")
    #expect(try made(["issuer": "https://id.example.com/realm"]) != provider)
  }

  @Test(arguments: [
    "http://127.0.0.1", "http://127.0.0.1/", "http://[::1]/callback", "http://localhost",
    "http://localhost:1024/a/b", "http://[::1]:65535",
  ])
  func aRedirectStaysAsItIsWritten(_ text: String) throws {
    #expect(try oauthOf(["redirect_uri": text]).redirect.text == text)
  }

  @Test(arguments: [
    ("client_secret", ""), ("client_secret", "hunter2 hunter2"), ("client_secret", "hunter2\u{e9}"),
    ("client_secret", "hunter2" + String(repeating: "x", count: 600)),
    ("client_authentication", "digest"), ("client_authentication", "basic"),
    ("client_authentication", ""), ("scope", ""), ("scope", " "), ("scope", "email"),
    ("scope", "openid a\"b"), ("scope", "openid a\\b"), ("scope", "openid\te"),
    ("scope", "openid é"), ("audience", ""), ("audience", "a b"), ("resource", ""),
    ("resource", "api"), ("resource", "https://a.example#b"), ("resource", "https://a.example;"),
    ("resource", "1a:b"), ("resource", "https://a.example/ b"), ("discovery", "on"),
    ("discovery", ""), ("discovery_url", "http://id.example.com/x"), ("discovery_url", "/x"),
    ("token_endpoint", "/token"), ("token_endpoint", "http://id.example.com/token"),
    ("token_endpoint", "http://127.0.0.1/token"), ("token_endpoint", "ftp://id.example.com/"),
    ("token_endpoint", "https://me:hunter2@id.example.com/"),
    ("token_endpoint", "https://id.example.com/#x"), ("token_endpoint", "https://a.example/\\x"),
    ("token_endpoint", ""), ("authorization_endpoint", "https://a.example/<script>"),
    ("device_authorization_endpoint", "https://"), ("userinfo_endpoint", "https://a b/"),
    ("revocation_endpoint", "javascript:alert(1)"), ("jwks_uri", "file:///etc/passwd"),
    ("redirect_uri", "https://127.0.0.1/"), ("redirect_uri", "http://127.0.0.2/"),
    ("redirect_uri", "http://example.com/"), ("redirect_uri", "http://localhost.example.com/"),
    ("redirect_uri", "http://127.0.0.1:80/"), ("redirect_uri", "http://127.0.0.1:0/"),
    ("redirect_uri", "http://127.0.0.1:65536/"), ("redirect_uri", "http://127.0.0.1/a?b"),
    ("redirect_uri", "com.example.app:/callback"), ("redirect_uri", "http://me@127.0.0.1/"),
    ("authorization_parameters", ""), ("authorization_parameters", "a"),
    ("authorization_parameters", "a=b&"), ("authorization_parameters", "a=b&a=c"),
    ("authorization_parameters", "state=x"), ("authorization_parameters", "redirect_uri=x"),
    ("authorization_parameters", "code_challenge_method=plain"),
    ("authorization_parameters", "a=%0a"), ("authorization_parameters", "a=%zz"),
    ("authorization_parameters", "a=%ff"), ("authorization_parameters", "a=%2"),
    ("authorization_parameters", "%73tate=x"), ("authorization_parameters", "a b=c"),
    ("authorization_parameters", "a=b c"), ("authorization_parameters", "a=b#c"),
    ("refresh_ends_access_tokens", "yes"), ("refresh_scope", "narrow"), ("refresh_scope", ""),
    ("resource_only", "yes"),
    ("password_grant", "yes"), ("id_token_algorithms", "none"), ("id_token_algorithms", "HS256"),
    ("id_token_algorithms", ""), ("id_token_algorithms", "RS256;"), ("response_iss", "true"),
    ("discovered", "token_endpoint"), ("login_path", "/login"), ("password_field", "pw"),
    ("client_id", "a b"), ("issuer", "http://id.example.com"), ("tokenendpoint", "https://x.org"),
  ])
  func aBadValueIsAnErrorThatNamesItsKey(_ key: String, _ value: String) throws {
    let error = try #require(
      #expect(throws: ConfigurationError.self) { try oauthOf([key: value]) }
    )
    #expect(error.key == key)
    #expect(!error.description.contains("\n"))
    #expect(!error.description.contains("hunter2"))
  }

  /// Values that are 1,024 bytes long in their canonical spelling, or one more.
  @Test(arguments: [
    ("authorization_parameters", "a=" + String(repeating: "!", count: 340) + "bc", "d"),
    ("token_endpoint", "https://h?" + String(repeating: "a", count: 1013), "b"),
  ])
  func aValueIsAsLongAsItsCanonicalSpelling(
    _ key: String,
    _ value: String,
    _ more: String
  ) throws {
    let longest = try made([key: value])
    #expect(try Provider(name: longest.name, canonicalForm: longest.canonicalForm) == longest)
    let error = #expect(throws: ConfigurationError.self) { try made([key: value + more]) }
    #expect(error == ConfigurationError(.tooLarge(1024), key: key))
  }

  @Test
  func aClientIDMustBeThere() throws {
    let error = #expect(throws: ConfigurationError.self) {
      try oauthOf(["client_id": String?.none])
    }
    #expect(error == ConfigurationError(.missingKey, key: "client_id"))
  }

  @Test(arguments: ["jwks_uri", "id_token_algorithms"])
  func whatBelongsToIDTokensIsAnErrorWithoutThem(_ key: String) throws {
    let value = key == "jwks_uri" ? "https://id.example.com/keys" : "RS256"
    _ = try oauthOf([key: value])
    let error = #expect(throws: ConfigurationError.self) {
      try oauthOf([key: value, "kind": "oauth2"])
    }
    #expect(error == ConfigurationError(.keyOfOtherKind("oauth2", ["oidc"]), key: key))
  }

  @Test
  func aKeyOfAnotherKindIsToldApartFromAnUnknownOne() throws {
    let backend = ["kind": "password-backend", "issuer": "https://id.example.com"]
    for key in [
      "scope", "token_endpoint", "client_secret", "redirect_uri", "response_iss", "refresh_scope",
      "refresh_ends_access_tokens",
    ] {
      let error = #expect(throws: ConfigurationError.self) {
        try Provider(name: ProviderName("dev"), settings: backend.merging([key: "x"]) { $1 })
      }
      #expect(
        error
          == ConfigurationError(
            .keyOfOtherKind("password-backend", ["oidc", "oauth2"]),
            key: key
          )
      )
    }
  }

  @Test
  func aSecretIsNeverPrinted() throws {
    let provider = try made(["client_secret": "hunter2"])
    let oauth = try #require(provider.oauth)
    #expect(!provider.settings.values.contains("hunter2"))
    var dumped = ""
    dump(provider, to: &dumped)
    for text in ["\(oauth)", String(reflecting: oauth), "\(provider)", dumped] {
      #expect(!text.contains("hunter2"))
      #expect(text.contains("(set)"))
    }
  }

  @Test(arguments: [
    "token_endpoint", "jwks_uri", "authorization_endpoint",
  ])
  func whatDiscoveryWouldFindMustBeGivenWithoutIt(_ key: String) throws {
    _ = try oauthOf(byHand)
    var settings: [String: String?] = byHand
    settings[key] = String?.none
    let error = #expect(throws: ConfigurationError.self) { try oauthOf(settings) }
    #expect(error?.key == key)
  }

  @Test
  func plainTextIsOnlyForThisMachine() throws {
    let local: [String: String?] = [
      "issuer": "http://localhost:8000", "token_endpoint": "http://127.0.0.1:8000/token",
    ]
    #expect(try made(local).endpoint(.token) == "http://127.0.0.1:8000/token")
    #expect(throws: ConfigurationError.self) {
      try made(local.merging(["token_endpoint": "http://id.example.com/"]) { $1 })
    }
  }
}
