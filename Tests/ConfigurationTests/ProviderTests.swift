import Configuration
import Testing

private let base = ["kind": "password-backend", "issuer": "https://id.example.com"]
private let pin = "sha256//" + String(repeating: "A", count: 42) + "A="
private let otherPin = "sha256//" + String(repeating: "B", count: 42) + "E="
private let certificate = """
  -----BEGIN CERTIFICATE-----
  MIIB
  AAA=
  -----END CERTIFICATE-----

  """

private func provider(_ more: [String: String] = [:]) throws -> Provider {
  try Provider(name: ProviderName("dev"), settings: base.merging(more) { $1 })
}

@Suite
struct ProviderTests {
  @Test
  func theDefaultsAreThoseOfTheAPI() throws {
    let provider = try provider()
    #expect(provider.url(of: .login) == "https://id.example.com/auth/login")
    #expect(provider.url(of: .profileFallback) == "https://id.example.com/user/profile")
    #expect(provider.name(of: .accessToken) == "access_token")
    #expect(provider.name(of: .registerPassword) == "password")
    #expect(provider.name(of: .registerPasswordRepeated) == nil)
    #expect(provider.refreshReuse == .retry)
    #expect(!provider.emptyRefusal)
    #expect(provider.invalidGrantValue == "invalid_grant")
  }

  @Test
  func everySettingIsTaken() throws {
    let provider = try provider([
      "client_id": "cli", "ca": certificate, "pins": "\(otherPin) ; \(pin);\(pin)",
      "proxy": "SOCKS5h://Proxy.example:9050/", "refresh_reuse": "revokes",
      "empty_refusal": "true", "invalid_grant_value": "token_not_valid",
      "refresh_path": "/api/auth/token/refresh/", "access_token_field": "access",
      "password_field": "pw", "register_password_repeated_field": "password2",
    ])
    #expect(provider.clientID == "cli")
    #expect(provider.certificateAuthority == certificate)
    #expect(provider.pins == [pin, otherPin])
    #expect(provider.proxy == "socks5h://proxy.example:9050")
    #expect(provider.refreshReuse == .revokes)
    #expect(provider.emptyRefusal)
    #expect(provider.url(of: .refresh) == "https://id.example.com/api/auth/token/refresh/")
    #expect(provider.name(of: .accessToken) == "access")
    #expect(provider.name(of: .registerPassword) == "pw")
    #expect(provider.name(of: .registerPasswordRepeated) == "password2")
    #expect(try Provider(name: provider.name, settings: provider.settings) == provider)
  }

  @Test(arguments: [
    ("issuer", "http://id.example.com"), ("kind", "ldap"), ("kind", "OIDC"), ("kind", ""),
    ("client_id", ""), ("client_id", "a b"), ("client_id", "a\nb"),
    ("pins", ""), ("pins", "sha256//AAAA"), ("pins", "sha1//AAAA"), ("pins", "\(pin);"),
    ("pins", "sha256//" + String(repeating: "A", count: 42) + "B="),
    ("pins", "sha256//" + String(repeating: "A", count: 44)),
    ("proxy", "proxy.example:8080"), ("proxy", "ftp://proxy.example"),
    ("proxy", "http://me:hunter2@proxy.example"), ("proxy", "http://proxy.example/path"),
    ("refresh_reuse", "maybe"), ("empty_refusal", "yes"), ("login_path", "auth/login"),
    ("login_path", "/a/../b"), ("login_path", "//evil.example"), ("login_path", "/a?b=c"),
    ("login_path", "/a b"), ("login_path", ""), ("access_token_field", ""),
    ("access_token_field", "a\"b"), ("access_token_field", "1a"),
    ("token_type_field", "refresh_token"), ("email_field", "e\n"),
    ("ca", "/etc/ssl/ca.pem"), ("ca", ""), ("ca", "-----BEGIN CERTIFICATE-----\nMIIB\n"),
    ("ca", certificate + "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n"),
    ("ca", String(repeating: certificate, count: 1000)),
    ("client_id", String(repeating: "c", count: 5000)), ("issuers", "https://id.example.com"),
  ])
  func aBadValueIsAnErrorThatNamesItsKey(_ key: String, _ value: String) throws {
    let error = try #require(
      #expect(throws: ConfigurationError.self) { try provider([key: value]) }
    )
    #expect(error.key == key)
    #expect(!error.description.contains("\n"))
    #expect(!error.description.contains("hunter2"))
  }

  @Test
  func kindAndIssuerMustBeThere() throws {
    let name = try ProviderName("dev")
    for key in ["kind", "issuer"] {
      let settings = base.filter { $0.key != key }
      let error = #expect(throws: ConfigurationError.self) {
        try Provider(name: name, settings: settings)
      }
      #expect(error == ConfigurationError(.missingKey, key: key))
    }
  }

  @Test
  func whatStandsBetweenCertificatesIsDropped() throws {
    let provider = try provider(["ca": "subject=x\r\n" + certificate + "notes\n" + certificate])
    #expect(provider.certificateAuthority == certificate + certificate)
  }
}

@Suite
struct CanonicalFormTests {
  @Test
  func spellingsOfTheSameProviderHaveOneForm() throws {
    let plain = try provider()
    let written = try provider([
      "issuer": "HTTPS://id.example.com:443/", "login_path": "/auth/login",
      "refresh_reuse": "retry",
    ])
    #expect(plain.canonicalForm == written.canonicalForm)
    #expect(plain == written)
  }

  @Test(arguments: [
    ("issuer", "https://evil.example.com"), ("client_id", "other"), ("ca", certificate),
    ("pins", pin), ("proxy", "http://evil.example"), ("refresh_path", "/auth/steal"),
    ("refresh_token_field", "r"), ("refresh_reuse", "revokes"), ("empty_refusal", "true"),
  ])
  func everySettingIsInTheForm(_ key: String, _ value: String) throws {
    #expect(try provider([key: value]).canonicalForm != provider().canonicalForm)
  }

  @Test
  func theFormIsFixed() throws {
    // Accounts are bound to the hash of these bytes: they change only with a new version byte.
    var expected: [UInt8] = [1]
    for text in [
      "access_token_field", "access_token", "created_at_field", "created_at",
      "email_field", "email", "email_verified_field",
      "email_verified", "empty_refusal", "false", "error_field", "error", "expires_in_field",
      "expires_in", "id_field", "id", "invalid_grant_value", "invalid_grant", "issuer",
      "https://id.example.com", "kind", "password-backend", "login_path", "/auth/login",
      "logout_path", "/auth/logout", "message_field", "message", "name_field", "name",
      "password_field", "password", "profile_fallback_path", "/user/profile", "profile_path",
      "/auth/me", "refresh_path", "/auth/refresh", "refresh_reuse", "retry",
      "refresh_token_field", "refresh_token", "register_password_field", "password",
      "register_path", "/auth/register", "role_field", "role", "scope_field", "scope",
      "token_type_field", "token_type", "user_field", "user", "verify_path", "/auth/verify",
    ] {
      expected += [0, 0, 0, UInt8(text.utf8.count)] + Array(text.utf8)
    }
    #expect(try provider().canonicalForm == expected)
  }

  @Test
  func usersThatMayListenOnLoopbackAreNumbers() throws {
    #expect(try provider().loopbackUsers.isEmpty)
    let named = try provider(["loopback_users": " 998;1001 ; 998"])
    #expect(named.loopbackUsers == [998, 1001])
    #expect(named.settings["loopback_users"] == "998;1001")
    for wrong in [
      "", "www-data", "-1", "998;", "1.5", "0x3e8", "4294967296", "4294967295", "65534",
      "99999999999",
      "٣",
    ] {
      #expect(throws: ConfigurationError.self) { try provider(["loopback_users": wrong]) }
    }
    let many = (1...17).map { "\($0)" }.joined(separator: ";")
    #expect(throws: ConfigurationError.self) { try provider(["loopback_users": many]) }
  }

  @Test
  func aFormReadsBackAsTheProvider() throws {
    let provider = try provider(["ca": certificate, "pins": pin, "register_password_field": "p1"])
    #expect(
      try Provider(name: provider.name, canonicalForm: provider.canonicalForm) == provider
    )
  }

  @Test
  func certificatesThatTheirLastLineMakesTooLongAreRefused() throws {
    let frame = "-----BEGIN CERTIFICATE-----\n\n-----END CERTIFICATE-----"
    let body = String(repeating: "A", count: 24 * 1024 - frame.utf8.count)
    let text = frame.replacing("\n\n", with: "\n\(body)\n")
    let error = #expect(throws: ConfigurationError.self) { try provider(["ca": text]) }
    #expect(error == ConfigurationError(.tooLarge(24 * 1024), key: "ca"))
    let longest = try provider(["ca": text.replacing("A\n", with: "\n")])
    #expect(try Provider(name: longest.name, canonicalForm: longest.canonicalForm) == longest)
  }

  @Test
  func aDamagedFormIsRefusedAndNeverTraps() throws {
    let provider = try provider(["client_id": "cli"])
    let form = provider.canonicalForm
    for index in form.indices {
      var damaged = form
      damaged[index] ^= 0xFF
      #expect(throws: ConfigurationError.self) {
        try Provider(name: provider.name, canonicalForm: damaged)
      }
    }
    // Some cuts fall between two settings. They leave a provider, but not this one.
    for count in form.indices {
      let cut = try? Provider(name: provider.name, canonicalForm: Array(form.prefix(count)))
      #expect(cut?.canonicalForm != Array(form.prefix(count)))
    }
  }
}
