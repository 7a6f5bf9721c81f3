import Configuration
import Testing

/// A provider without login, whose accounts keep a static secret.
@Suite
struct StaticProviderTests {
  private func provider(_ settings: [String: String]) throws -> Provider {
    let base = ["kind": "static", "issuer": "https://git.example.com"]
    return try Provider(name: ProviderName("git"), settings: base.merging(settings) { $1 })
  }

  @Test
  func itIsOneTokenThatIsNotExchanged() throws {
    let host = try provider([:])
    #expect(host.hasOneToken && !host.canRefresh && host.oauth == nil)
    #expect(host.settings == ["kind": "static", "issuer": "https://git.example.com"])
  }

  @Test
  func itsFormsBringItBack() throws {
    let host = try provider([
      "api_hosts": "api.example.com", "connect_timeout": "5s", "proxy": "http://localhost:3128",
    ])
    #expect(try Provider(name: host.name, canonicalForm: host.canonicalForm) == host)
    let text = try ProviderFile.text(for: host)
    let read = try ProviderFile.parse(text: text, name: host.name, file: "git.conf") { _ in "" }
    #expect(read == host)
  }

  /// The secret goes to its host over TLS, or to this machine.
  @Test(arguments: ["http://git.example.com", "ftp://git.example.com", "git.example.com"])
  func itsHostIsReachedByTLS(_ issuer: String) throws {
    #expect(throws: ConfigurationError.self) { try provider(["issuer": issuer]) }
  }

  @Test(arguments: [
    "client_id", "client_secret", "scope", "token_endpoint", "login_path", "refresh_reuse",
    "revocation_ends", "empty_refusal", "invalid_grant_value", "access_token_field",
  ])
  func itHasNoKeysOfALogin(_ key: String) throws {
    do {
      _ = try provider([key: "x"])
      Issue.record("accepted")
    } catch let error as ConfigurationError {
      guard case .keyOfOtherKind("static", let kinds) = error.problem else {
        Issue.record("\(error)")
        return
      }
      #expect(!kinds.isEmpty && !kinds.contains("static"))
    }
  }
}
