import Configuration
import Cryptography
import SecretMemory
import Testing

/// The sources of a provider's client secret, and the form that accounts are bound to.
struct ClientSecretTests {
  private static let marker = "cs_FIXTURE-schema-4-post-5b0d93ee71"

  /// A provider with a client secret.
  private func bound() throws -> Provider {
    try Provider(
      name: ProviderName("post"),
      settings: [
        "kind": "oauth2", "issuer": "http://127.0.0.1:44147", "client_id": "app-post",
        "client_secret": Self.marker, "client_authentication": "post", "discovery": "off",
        "token_endpoint": "http://127.0.0.1:44147/token", "password_grant": "true",
      ]
    )
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private func whole(_ provider: Provider) throws -> SecretBytes {
    try Provider.wholeForm(provider.canonicalForm, try #require(provider.oauth?.clientSecret))
  }

  @Test
  func whatAccountsAreBoundToStaysAsItWas() throws {
    let provider = try bound()
    // As computed by a second implementation, in Python.
    #expect(
      hexadecimal(try sha256(try whole(provider)))
        == "af043352aaea8eb65a6e4a0b9d7505a7d56ff7bd0ff7ccbb3a573f0f4fc90589"
    )
    let secret = try #require(provider.oauth?.clientSecret)
    let suffixed = try Provider.wholeForm(provider.canonicalForm, secret, followedBy: [0, 1, 2])
    #expect(text(suffixed) == text(try whole(provider)) + "\u{0}\u{1}\u{2}")
  }

  @Test(arguments: [
    ["client_id": "zz"], ["audience": "a"], ["scope": "openid z"], ["resource": "urn:x"],
    ["authorization_parameters": "prompt=login"],
  ])
  func theSecretStandsAtItsPlaceAmongTheKeys(_ more: [String: String]) throws {
    let provider = try made(more.merging(["client_secret": "s"]) { $1 }.merging(byHand) { $1 })
    var settings = provider.settings
    #expect(settings["client_secret"] == nil)
    settings["client_secret"] = "s"
    var expected: [UInt8] = [1]
    for (key, value) in settings.sorted(by: { $0.key < $1.key }) {
      for text in [key, value] {
        let count = text.utf8.count
        expected += [0, 0, UInt8(count >> 8), UInt8(count & 255)] + Array(text.utf8)
      }
    }
    let form = text(try whole(provider))
    #expect(form == String(decoding: expected, as: UTF8.self))
  }

  @Test
  func aFormWithTheSecretInItIsRefused() throws {
    let provider = try bound()
    let form = provider.canonicalForm
    let secret = provider.oauth?.clientSecret
    let read = try Provider(name: provider.name, canonicalForm: form, clientSecret: secret)
    #expect(read == provider)
    let whole = Array(text(try whole(provider)).utf8)
    for secret in [nil, secret] {
      #expect(throws: ConfigurationError.self) {
        try Provider(name: provider.name, canonicalForm: whole, clientSecret: secret)
      }
    }
    #expect(throws: ConfigurationError.self) {
      try Provider(name: provider.name, canonicalForm: form)
    }
  }

  @Test
  func anotherSecretIsAnotherPlace() throws {
    let (one, other) = (try made(["client_secret": "a"]), try made(["client_secret": "b"]))
    #expect(one.canonicalForm == other.canonicalForm)
    #expect(one != other && !one.hasSameSettings(as: other))
    #expect(one.keys(differingFrom: other) == ["client_secret"])
    #expect(one.asWritten == one)
    let found = try one.completed(
      with: [.token: "https://id.example.com/t"],
      responseIssuerRequired: false
    )
    #expect(found.oauth?.clientSecret == one.oauth?.clientSecret && found.asWritten == one)
  }

  // MARK: - Files

  private func read(_ text: String) throws -> Provider {
    try ProviderFile.parse(bytes: Array(text.utf8), file: "/x/dev.conf") { $0 }
  }

  private static let start = "[Provider]\nkind = oidc\nissuer = https://id.example.com\n"

  @Test(arguments: [
    "client_id = c\nclient_secret = hunter2", "client_secret=hunter2\nclient_id = c\n",
    " client_secret \t=\thunter2 \t\r\nclient_id = c\r\n",
    "# client_secret = no\n; client_secret = no\nclient_id = c\nclient_secret = hunter2\n\n",
  ])
  func aFileGivesItsSecret(_ rest: String) throws {
    #expect(text(try read(Self.start + rest).oauth?.clientSecret) == "hunter2")
    let marked = "\u{FEFF}" + Self.start + rest
    #expect(text(try read(marked).oauth?.clientSecret) == "hunter2")
  }

  @Test
  func aSecretMayHoldWhatEndsAKey() throws {
    let file = Self.start + "client_id = c\nclient_secret = #a=b;[c]\n"
    #expect(text(try read(file).oauth?.clientSecret) == "#a=b;[c]")
  }

  @Test(arguments: [
    ("client_id = c\nclient_secret = hun ter2", 5),
    ("client_id = c\nclient_secret = hunter2\u{e9}", 5),
    ("client_id = c\nclient_secret =", 5), ("client_secret = hunter2\nclient_secret = hunter3", 5),
    ("client_id = c\nclient_secret = hunter2\u{1}", 5),
  ])
  func aBadSecretIsToldWithItsLineAndNotQuoted(_ rest: String, _ line: Int) throws {
    let error = #expect(throws: ConfigurationError.self) { try read(Self.start + rest) }
    #expect(error?.line == line && error?.key == "client_secret")
    #expect(error.map { "\($0)".contains("hun") } == false)
  }

  @Test
  func aSecretOutsideOfTheSectionIsRefused() throws {
    let error = #expect(throws: ConfigurationError.self) {
      try read("client_secret = hunter2\n" + Self.start + "client_id = c\n")
    }
    #expect(error?.problem == .keyOutsideSection && error?.line == 1)
    let backend = #expect(throws: ConfigurationError.self) {
      try read(
        "[Provider]\nkind = password-backend\nissuer = https://x.example\nclient_secret = hunter2\n"
      )
    }
    #expect(backend?.problem == .keyOfOtherKind("password-backend", ["oidc", "oauth2"]))
    #expect(backend?.line == 4)
  }
}
