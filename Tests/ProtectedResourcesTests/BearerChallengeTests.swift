import Testing

@testable import ProtectedResources

@Suite
struct BearerChallengeTests {
  private func challenge(_ value: String) -> BearerChallenge? {
    BearerChallenge(headers: ["Date: now", "WWW-Authenticate: \(value)"])
  }

  @Test
  func aChallengeIsReadInEachSpelling() throws {
    let url = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp"
    let plain = try #require(challenge(#"Bearer resource_metadata="\#(url)", scope="a b""#))
    #expect(plain.resourceMetadata == url && plain.scope == "a b" && plain.error == nil)
    for value in [
      #"bearer Scope = "a b" ,error=insufficient_scope"#,
      #"Basic realm="x, Bearer scope=\"c\"", Bearer error="insufficient_scope", scope="a b""#,
      #"Negotiate YWJj==, Bearer scope="a b", error=insufficient_scope, Basic realm="y""#,
      #"Bearer error=insufficient_scope, scope="a b", scope="c""#,
    ] {
      let found = try #require(challenge(value), "\(value)")
      #expect(found.scope == "a b" && found.error == "insufficient_scope", "\(value)")
    }
    let second = BearerChallenge(
      headers: ["www-authenticate: Basic realm=x", "WWW-AUTHENTICATE: Bearer scope=s"]
    )
    #expect(second?.scope == "s")
    #expect(try #require(challenge("Bearer")).scope == nil)
  }

  @Test
  func otherHeadersHaveNoChallenge() {
    for value in [
      "", ",,,", "Basic realm=\"Bearer\"", "Bearerx scope=a", "DPoP scope=a", "=", "\u{1F600}",
      "Basic realm=\"unfinished, Bearer scope=a",
    ] { #expect(challenge(value) == nil, "\(value)") }
    #expect(BearerChallenge(headers: ["X: Bearer scope=a", "no colon"]) == nil)
    #expect(challenge("Bearer scope=" + String(repeating: "a", count: 9000)) == nil)
  }

  @Test
  func aBrokenParameterIsLeftOut() {
    for value in [
      #"Bearer scope="unfinished"#, #"Bearer scope="\"#, "Bearer scope=\"a\u{7}b\"",
      "Bearer scope", "Bearer =x",
    ] { #expect(challenge(value)?.scope != "unfinished\u{7}", "\(value)") }
    #expect(challenge("Bearer scope=\"a\u{7}b\"")?.scope == nil)
  }
}
