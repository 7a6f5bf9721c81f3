import OAuth
import Testing

@Suite
struct ScopeRequestTests {
  @Test
  func whatMeansTheSameHasTheSameKey() throws {
    let one = try ScopeRequest(scope: "b  a b", audience: "x", resources: ["urn:b", "urn:a"])
    let other = try ScopeRequest(
      scope: "a b",
      audience: "x",
      resources: ["urn:a", "urn:b", "urn:a"]
    )
    #expect(one == other && one.key == other.key)
    #expect(one.scopes == ["a", "b"] && one.resources == ["urn:a", "urn:b"])
    #expect(one.key == "a b\naudience=x\nresource=urn:a\nresource=urn:b")
  }

  @Test
  func theStandardRequestHasNoKey() throws {
    #expect(ScopeRequest.standard.key == "")
    #expect(try ScopeRequest(scope: nil) == .standard)
    #expect(try ScopeRequest(scope: "  ") == .standard)
    #expect(ScopeRequest(key: "") == .standard)
  }

  @Test
  func keysAreReadBackAndNothingElseIs() throws {
    let requests = [
      try ScopeRequest(scope: "a"), try ScopeRequest(scope: nil, audience: "a=b"),
      try ScopeRequest(scope: nil, resources: ["https://x.example/"]),
      try ScopeRequest(scope: "b a", audience: "audience=x", resources: ["urn:a"]),
    ]
    #expect(Set(requests.map(\.key)).count == requests.count)
    for request in requests { #expect(ScopeRequest(key: request.key) == request) }
    for key in [
      "b a", "a a", "a\n", "\n", "a\naudience=", "a\naudience=x\naudience=y", "a\nresource=x",
      "a\nresource=urn:b\nresource=urn:a", "a\nresource=urn:a\naudience=x", "a\u{0}", "a\nb",
    ] {
      #expect(ScopeRequest(key: key) == nil)
    }
  }

  /// NQCHAR of RFC 6749, appendix A.4.
  @Test(arguments: ["a\"b", "a\\b", "a\u{7F}", "ä", "a\tb", "a\nb", "a\u{0}", "a\u{A0}b"])
  func whatIsNoScopeIsRefused(_ scope: String) {
    #expect(throws: OAuthError.self) { try ScopeRequest(scope: scope) }
  }

  @Test
  func whatIsNoAudienceOrResourceIsRefused() {
    for audience in ["", "a b", "a\nb", "ä", String(repeating: "a", count: 1025)] {
      #expect(throws: OAuthError.self) { try ScopeRequest(scope: nil, audience: audience) }
    }
    for resource in ["", "api", "/path", "https://x/#f", "1a:b", "a b:c", "urn:", "urn:\n"] {
      #expect(throws: OAuthError.self) { try ScopeRequest(scope: nil, resources: [resource]) }
    }
  }

  @Test
  func thereIsAnEndToIt() throws {
    let many = (0..<65).map { "s\($0)" }
    #expect(throws: OAuthError.self) { try ScopeRequest(scope: many.joined(separator: " ")) }
    #expect(throws: OAuthError.self) {
      try ScopeRequest(scope: String(repeating: "a", count: 1025))
    }
    #expect(throws: OAuthError.self) {
      try ScopeRequest(scope: nil, resources: many.map { "urn:\($0)" })
    }
  }
}
