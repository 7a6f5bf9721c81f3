import Configuration
import Testing

/// One name for the access token and the refresh token: a provider that gives one token.
@Suite
struct OneTokenTests {
  private let backend = ["kind": "password-backend", "issuer": "https://id.example.com"]
  private let oauth = [
    "kind": "oauth2", "issuer": "https://id.example.com", "client_id": "app",
    "discovery": "off", "authorization_endpoint": "https://id.example.com/authorize",
    "token_endpoint": "https://id.example.com/token",
  ]

  private func provider(_ base: [String: String], _ more: [String: String]) throws -> Provider {
    try Provider(name: ProviderName("dev"), settings: base.merging(more) { $1 })
  }

  @Test(arguments: [
    ["access_token_field": "token", "refresh_token_field": "token"],
    ["refresh_token_field": "access_token"],
    ["access_token_field": "refresh_token"],
  ])
  func oneNameForBothIsOneToken(_ fields: [String: String]) throws {
    let one = try provider(backend, fields)
    #expect(one.hasOneToken && one.canRefresh)
    #expect(try Provider(name: one.name, canonicalForm: one.canonicalForm) == one)
    // RFC 6749 has no refresh with an access token.
    let other = try provider(oauth, fields)
    #expect(other.hasOneToken && !other.canRefresh)
    let two = try provider(backend, [:])
    #expect(!two.hasOneToken && two.canRefresh)
    #expect(!one.hasSameSettings(as: two))
  }

  @Test
  func aBackendWithOneTokenMayHaveNoRefresh() throws {
    let settings = ["refresh_token_field": "access_token", "refresh_path": "none"]
    let one = try provider(backend, settings)
    #expect(one.hasOneToken && !one.canRefresh)
    #expect(one.settings["refresh_path"] == "none")
    #expect(try Provider(name: one.name, canonicalForm: one.canonicalForm) == one)
    let text = try ProviderFile.text(for: one)
    let read = try ProviderFile.parse(text: text, name: one.name, file: "dev.conf") { _ in "" }
    #expect(read == one)
  }

  @Test(arguments: [
    // A refresh token that no endpoint accepts is useless.
    ["refresh_path": "none"],
    ["refresh_token_field": "access_token", "login_path": "none"],
    ["refresh_token_field": "access_token", "refresh_path": "None"],
    ["access_token_field": "t", "refresh_token_field": "t", "token_type_field": "t"],
    ["access_token_field": "t", "refresh_token_field": "t", "expires_in_field": "t"],
    ["access_token_field": "expires_in"],
    ["refresh_token_field": "expires_in"],
    ["refresh_token_field": "token_type"],
  ])
  func noOtherFieldsShareAName(_ settings: [String: String]) throws {
    #expect(throws: ConfigurationError.self) { try provider(backend, settings) }
  }
}
