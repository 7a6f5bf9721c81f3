import Configuration
import JSON
import OAuth
import SecretMemory
import Testing

private func provider(_ settings: [String: String] = [:]) throws -> Provider {
  let base = ["kind": "oidc", "issuer": "https://id.example.com/t1", "client_id": "c"]
  return try Provider(name: ProviderName("dev"), settings: base.merging(settings) { $1 })
}

private let document = #"""
  {"issuer":"https://id.example.com/t1","authorization_endpoint":"https://id.example.com/a",
  "token_endpoint":"https://tokens.example.net/t","jwks_uri":"https://id.example.com/k",
  "device_authorization_endpoint":"https://id.example.com/d",
  "userinfo_endpoint":"https://id.example.com/u","revocation_endpoint":"https://id.example.com/r",
  "authorization_response_iss_parameter_supported":true,
  "grant_types_supported":["authorization_code","refresh_token"],
  "code_challenge_methods_supported":["S256"],"response_types_supported":["code"],"x":[{}]}
  """#

private func refusal(_ body: String, _ settings: [String: String] = [:]) throws -> MetadataError? {
  let provider = try provider(settings)
  let body = try secret(body)
  do throws(MetadataError) {
    _ = try ServerMetadata(body, for: provider).completed(provider)
    return nil
  } catch {
    return error
  }
}

@Suite
struct ServerMetadataTests {
  @Test
  func theDocumentIsLookedForWhereItMayBe() throws {
    let urls = { (settings: [String: String]) in
      try ServerMetadata.requests(for: provider(settings)).map(\.url)
    }
    #expect(
      try urls([:]) == [
        "https://id.example.com/t1/.well-known/openid-configuration",
        "https://id.example.com/.well-known/oauth-authorization-server/t1",
      ]
    )
    #expect(
      try urls(["kind": "oauth2", "issuer": "https://id.example.com:8443/"]) == [
        "https://id.example.com:8443/.well-known/oauth-authorization-server",
        "https://id.example.com:8443/.well-known/openid-configuration",
      ]
    )
    #expect(
      try urls(["discovery_url": "https://other.example/m"]) == ["https://other.example/m"]
    )
    let request = try #require(ServerMetadata.requests(for: provider()).first)
    #expect(request.method == "GET" && request.body == nil)
    #expect(request.headers == ["Accept: application/json"])
    #expect(ServerMetadata.requests(for: try openID()).isEmpty)
    #expect(ServerMetadata.requests(for: try backend().provider).isEmpty)
  }

  @Test
  func aProviderIsCompletedWithWhatItsFileDoesNotName() throws {
    let written = try provider(["userinfo_endpoint": "https://mine.example/u"])
    let metadata = try ServerMetadata(secret(document), for: written)
    let completed = try metadata.completed(written)
    #expect(completed.endpoint(.token) == "https://tokens.example.net/t")
    #expect(completed.endpoint(.jwks) == "https://id.example.com/k")
    #expect(completed.endpoint(.userinfo) == "https://mine.example/u")
    #expect(completed.oauth?.responseIssuerRequired == true)
    #expect(completed.asWritten == written)
    #expect(ProviderClient(provider: completed).flows == [.browser, .device])
    #expect(metadata.warnings(for: completed).isEmpty)
  }

  /// No sign-in needs it, so an error in it prevents none.
  @Test(arguments: [
    (#""https://id.example.com/i""#, "https://id.example.com/i"), ("7", nil),
    (#""http://intern/i""#, nil),
  ])
  func introspectionIsKnownToAClientWithASecret(_ value: String, _ known: String?) throws {
    let text = String(document.dropLast()) + #","introspection_endpoint":\#(value)}"#
    let confidential = try provider(["client_secret": "s"])
    let metadata = try ServerMetadata(secret(text), for: confidential)
    #expect(try metadata.completed(confidential).endpoint(.introspection) == known)
    #expect(try metadata.completed(provider()).endpoint(.introspection) == nil)
  }

  @Test
  func howAClientGetsItsIDIsTold() throws {
    let provider = try provider()
    func read(_ more: String) throws -> ServerMetadata {
      try ServerMetadata(secret(String(document.dropLast()) + more + "}"), for: provider)
    }
    let silent = try read("")
    #expect(silent.registrationEndpoint == nil && !silent.takesClientMetadata)
    let url = "https://id.example.com/register"
    let telling = try read(
      #","registration_endpoint":"\#(url)","client_id_metadata_document_supported":true"#
    )
    #expect(telling.registrationEndpoint == url && telling.takesClientMetadata)
    // An error in them does not prevent a sign-in of a client that has its ID.
    let wrong = try read(
      #","registration_endpoint":7,"client_id_metadata_document_supported":"yes""#
    )
    #expect(wrong.registrationEndpoint == nil && !wrong.takesClientMetadata)
  }

  @Test
  func whatMayGoWrongIsSaid() throws {
    let provider = try provider(["id_token_algorithms": "ES256"])
    let metadata = try ServerMetadata(
      secret(
        #"{"issuer":"https://id.example.com/t1","grant_types_supported":["implicit"],"#
          + #""code_challenge_methods_supported":["plain"],"#
          + #""require_pushed_authorization_requests":true,"#
          + #""id_token_signing_alg_values_supported":["RS256","none"]}"#
      ),
      for: provider
    )
    let warnings = metadata.warnings(for: provider)
    #expect(warnings.count == 4 && warnings.contains { $0.contains("RFC 9126") }, "\(warnings)")
  }

  /// RFC 8414, section 3.3: otherwise one provider could redirect another's sign-ins to itself.
  @Test(arguments: [
    "https://evil.example", "https://id.example.com", "https://id.example.com/t1/",
    "https://id.example.com/t2", "https://ID.example.com/t1", "http://id.example.com/t1",
    "https://id.example.com:443/t1", "https://id.example.com/t1?x", "",
  ])
  func aDocumentOfAnotherIssuerIsRefused(_ issuer: String) throws {
    let body = document.replacingIssuer(with: issuer)
    let error = try #require(try refusal(body))
    #expect(error == .otherIssuer(found: issuer))
    // The error shows the issuer found, so that a person can compare.
    #expect(error.description.contains(issuer))
  }

  @Test
  func whatATerminalWouldObeyIsNotInTheIssuerThatIsShown() throws {
    let body = document.replacingIssuer(with: #"https://e.example/\u001b[2J\u202e"#)
    let error = try #require(try refusal(body))
    #expect(!error.description.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
  }

  @Test
  func offlineAccessIsAskedForUnlessTheProviderSaysThatItLacksIt() throws {
    func scopes(_ offered: String?, _ settings: [String: String] = [:]) throws -> [String]? {
      let provider = try provider(settings)
      let more = offered.map { #","scopes_supported":\#($0)}"# } ?? "}"
      let body = try secret(String(document.dropLast()) + more)
      return try ServerMetadata(body, for: provider).completed(provider).oauth?.scopes
    }
    #expect(try scopes(nil) == ["offline_access", "openid"])
    #expect(try scopes(#"["openid","offline_access","email"]"#) == ["offline_access", "openid"])
    #expect(try scopes(#"["openid","email"]"#) == ["openid"])
    // A missing or invalid list does not prevent a sign-in.
    for nonsense in ["null", "[]", "7", #""openid""#, "[7]"] {
      let expected = nonsense == "[]" ? ["openid"] : ["offline_access", "openid"]
      #expect(try scopes(nonsense) == expected, "\(nonsense)")
    }
    // Scopes that a person has named are requested unchanged.
    let named = ["scope": "openid email offline_access"]
    #expect(try scopes(#"["openid"]"#, named) == ["email", "offline_access", "openid"])
  }

  @Test
  func whatIsAskedForAndNotOfferedIsWarnedOf() throws {
    let provider = try provider(["scope": "openid read offline_access"])
    let body = try secret(
      String(document.dropLast())
        + #","scopes_supported":["openid"],"claims_supported":["https://gitlab.org/claims/groups"]}"#
    )
    let warnings = try ServerMetadata(body, for: provider).warnings(for: provider)
    let missing = warnings.filter { $0.contains("scopes_supported") }
    #expect(missing.count == 1 && missing[0].contains("offline_access read"), "\(warnings)")
    #expect(warnings.contains { $0.contains("refresh_scope = whole") })
  }

  @Test(arguments: [
    (#"["client_secret_post"]"#, "post"), (#"["client_secret_basic"]"#, nil),
    (#"["private_key_jwt"]"#, nil), ("7", nil),
  ])
  func aSecretThatWouldBeSentInAnotherWayIsWarnedOf(_ methods: String, _ way: String?) throws {
    let provider = try provider(["client_secret": "s3cret"])
    let body = try secret(
      String(document.dropLast()) + #","token_endpoint_auth_methods_supported":\#(methods)}"#
    )
    let warnings = try ServerMetadata(body, for: provider).warnings(for: provider)
    let found = warnings.filter { $0.contains("client_authentication") }
    let text = way.map { "does not list client_secret_basic: set client_authentication = \($0)" }
    #expect(found == (text.map { [$0] } ?? []))
  }

  @Test
  func aDocumentWithoutAnIssuerIsRefused() throws {
    #expect(try refusal("{}") == .member(.missing("issuer")))
    #expect(try refusal(#"{"issuer":null}"#) == .member(.missing("issuer")))
    #expect(
      try refusal(#"{"issuer":["https://id.example.com/t1"]}"#) == .member(.wrongType("issuer"))
    )
  }

  @Test(arguments: [
    "http://id.example.com/t", "http://127.0.0.1/t", "https://u:p@id.example.com/t", "/t",
    "https://id.example.com/a b", "https://id.example.com/#f", "javascript:x", "file:///etc/passwd",
    "https://", "https://id.example.com\\\\evil.example/",
  ])
  func anEndpointThatAFileCouldNotHaveIsRefused(_ url: String) throws {
    for key in ["token_endpoint", "jwks_uri", "authorization_endpoint"] {
      let body = #"{"issuer":"https://id.example.com/t1","\#(key)":"\#(url)"}"#
      guard case .setting? = try refusal(body) else {
        Issue.record("\(key) \(url) was taken")
        continue
      }
    }
  }

  @Test
  func plainTextStaysOnThisMachine() throws {
    let local = ["issuer": "http://127.0.0.1:9000"]
    let body = { (token: String) in
      #"{"issuer":"http://127.0.0.1:9000","token_endpoint":"\#(token)"}"#
    }
    #expect(try refusal(body("http://127.0.0.1:9000/t"), local) == nil)
    #expect(try refusal(body("https://id.example.com/t"), local) == nil)
    guard case .setting? = try refusal(body("http://192.168.1.1/t"), local) else {
      Issue.record("plain text to another machine")
      return
    }
  }

  @Test(arguments: [
    #""token_endpoint":7"#, #""jwks_uri":["https://x"]"#, #""grant_types_supported":"code""#,
    #""grant_types_supported":[1]"#, #""code_challenge_methods_supported":{}"#,
    #""authorization_response_iss_parameter_supported":"true""#,
  ])
  func aMemberOfAWrongTypeIsRefused(_ member: String) throws {
    guard
      case .member? = try refusal(#"{"issuer":"https://id.example.com/t1",\#(member)}"#)
    else {
      Issue.record("taken: \(member)")
      return
    }
  }

  @Test
  func whatIsNoDocumentIsRefused() throws {
    let issuer = #""issuer":"https://id.example.com/t1""#
    for body in ["", "<html>", "[]", "null", "{", "{\(issuer),\(issuer)}", "{\(issuer)}x"] {
      #expect(try refusal(body) == .notAnObject)
    }
    let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
    #expect(try refusal(#"{\#(issuer),"x":\#(deep)}"#) == refusal(#"{\#(issuer),"x":0}"#))
    let long = String(repeating: " ", count: ServerMetadata.maximumCount)
    #expect(try refusal(long + "{\(issuer)}") == .tooLong)
  }
}

extension String {
  fileprivate func replacingIssuer(with issuer: String) -> String {
    let old = #""issuer":"https://id.example.com/t1""#
    return replacing(old, with: #""issuer":"\#(issuer)""#, maxReplacements: 1)
  }
}
