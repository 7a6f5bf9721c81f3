import Configuration
import Testing

@Suite
struct ProviderTemplateTests {
  /// A person's values for each placeholder.
  private static let values = [
    "host": "id.example.com", "realm": "main", "domain": "example.eu.auth0.com",
    "tenant": "0f8fad5b-d9cb-469f-a165-70867728950e",
  ]

  private static func settings(
    _ template: ProviderTemplate,
    secret: Bool
  ) throws -> [String: String] {
    let needed = template.placeholders.map(\.name)
    var settings = try template.settings(
      filledWith: values.filter { needed.contains($0.key) },
      hasSecret: secret
    )
    settings["client_id"] = "cli"
    if secret { settings["client_secret"] = "s" }
    return settings
  }

  private static func provider(
    _ template: ProviderTemplate,
    secret: Bool
  ) throws -> Provider {
    try Provider(
      name: ProviderName(template.name),
      settings: settings(template, secret: secret)
    )
  }

  @Test(arguments: ProviderTemplate.all.map(\.name), [true, false])
  func everyTemplateIsAProviderOverTLS(_ name: String, _ secret: Bool) throws {
    let template = try #require(ProviderTemplate.named(name))
    let provider = try Self.provider(template, secret: secret)
    #expect(provider.oauth != nil)
    #expect(!provider.issuer.isPlain)
    for endpoint in OAuthEndpoint.allCases {
      #expect(provider.endpoint(endpoint)?.hasPrefix("https://") ?? true)
    }
    // No placeholder is left.
    #expect(provider.settings.values.allSatisfy { !$0.contains("{") && !$0.contains("}") })
    let contents = try ProviderFile.contents(for: provider)
    #expect(try ProviderFile.parse(bytes: contents, file: "\(name).conf") { $0 } == provider)
    #expect(!template.notes.isEmpty)
  }

  @Test
  func theNamesAreKnown() {
    #expect(
      ProviderTemplate.all.map(\.name)
        == ["github", "gitlab", "google", "entra", "keycloak", "auth0"]
    )
    #expect(ProviderTemplate.named("GitHub") == nil)
  }

  @Test
  func theIssuerOfAuth0EndsWithASlashAndNoOther() throws {
    for template in ProviderTemplate.all {
      let issuer = try Self.provider(template, secret: false).issuer.text
      #expect(issuer.hasSuffix("/") == (template.name == "auth0"))
    }
  }

  @Test
  func aBrowserLoginAtGitHubNeedsASecret() throws {
    let github = try #require(ProviderTemplate.named("github"))
    #expect(try Self.provider(github, secret: false).endpoint(.authorization) == nil)
    let with = try Self.provider(github, secret: true)
    #expect(with.endpoint(.authorization) == "https://github.com/login/oauth/authorize")
    #expect(with.oauth?.clientAuthentication == .post)
    #expect(with.invalidGrantValue == "bad_refresh_token")
    #expect(with.name(of: .id) == "id")
    #expect(with.apiHosts == ["api.github.com"])
  }

  @Test
  func whatARefreshEndsIsKnownOfThoseThatSayIt() throws {
    let ending = try ProviderTemplate.all.filter {
      try Self.provider($0, secret: false).oauth?.refreshEndsAccessTokens == true
    }
    #expect(ending.map(\.name) == ["github", "gitlab"])
    let whole = try ProviderTemplate.all.filter {
      try Self.provider($0, secret: false).oauth?.refreshScope == .whole
    }
    #expect(whole.map(\.name) == ["gitlab"])
  }

  @Test
  func googleIsAskedForARefreshTokenByParametersAndNotByScope() throws {
    let google = try #require(ProviderTemplate.named("google"))
    let oauth = try #require(try Self.provider(google, secret: true).oauth)
    #expect(google.needsSecret)
    #expect(oauth.authorizationParameters.map(\.name) == ["access_type", "prompt"])
    #expect(!oauth.scopes.contains("offline_access"))
  }

  /// The profile and the userinfo endpoint belong to Microsoft Graph, and the metadata has their
  /// addresses.
  @Test
  func entraIsAskedForATokenOfMicrosoftGraph() throws {
    let entra = try #require(ProviderTemplate.named("entra"))
    let provider = try Self.provider(entra, secret: false)
    let scopes = try #require(provider.oauth).scopes
    #expect(
      Set(scopes) == ["openid", "profile", "email", "offline_access", "User.Read"],
      "\(scopes)"
    )
    #expect(provider.endpoint(.userinfo) == nil)
    #expect(provider.apiHosts == ["graph.microsoft.com"])
  }

  @Test
  func anIssuerOfOnesOwnTakesTheEndpointsAlong() throws {
    let gitlab = try #require(ProviderTemplate.named("gitlab"))
    let standard = try gitlab.settings(filledWith: [:])
    #expect(standard["issuer"] == "https://gitlab.com")
    let own = try gitlab.settings(filledWith: [:], issuer: "https://git.example.com/gitlab/")
    #expect(own["issuer"] == "https://git.example.com/gitlab/")
    #expect(
      own["device_authorization_endpoint"]
        == "https://git.example.com/gitlab/oauth/authorize_device"
    )
    #expect(own.values.allSatisfy { !$0.contains("gitlab.com") })
  }

  @Test(arguments: [
    ("entra", "tenant", "common"), ("entra", "tenant", "example.onmicrosoft.com"),
    ("entra", "tenant", "0f8fad5b-d9cb-469f-a165-70867728950g"), ("entra", "tenant", ""),
    ("keycloak", "host", "https://id.example.com"), ("keycloak", "host", "id.example.com/"),
    ("keycloak", "host", "me@id.example.com"), ("keycloak", "host", "{realm}"),
    ("keycloak", "realm", "a/b"), ("keycloak", "realm", ".."), ("keycloak", "realm", "a b"),
    ("keycloak", "realm", ""), ("keycloak", "realm", "{host}"), ("auth0", "domain", "a?b"),
    ("auth0", "domain", "a#b"), ("gitlab", "host", "a b"), ("gitlab", "host", ""),
  ])
  func aPlaceholderIsChecked(_ name: String, _ key: String, _ value: String) throws {
    let template = try #require(ProviderTemplate.named(name))
    let error = #expect(throws: ConfigurationError.self) {
      try template.settings(filledWith: Self.values.merging([key: value]) { $1 })
    }
    #expect(error?.key == key)
  }

  @Test
  func aMissingPlaceholderIsNamed() throws {
    let keycloak = try #require(ProviderTemplate.named("keycloak"))
    #expect(keycloak.missing(of: [:]).map(\.name) == ["host", "realm"])
    #expect(keycloak.missing(of: ["host": "x"]).map(\.name) == ["realm"])
    let error = #expect(throws: ConfigurationError.self) {
      try keycloak.settings(filledWith: ["host": "id.example.com"])
    }
    #expect(error == ConfigurationError(.missingKey, key: "realm"))
  }
}
