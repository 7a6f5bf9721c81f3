import JSON
import SecretMemory
import Testing

@testable import ProtectedResources

@Suite
struct ProtectedResourceTests {
  private static let url = "https://mcp.example.com/a/mcp"
  private static let root = "https://mcp.example.com/.well-known/oauth-protected-resource"

  private func read(
    _ body: String,
    for url: String = url,
    at location: String = root
  ) throws(ResourceError)
    -> ProtectedResource
  {
    guard let body = try? SecretBytes(copying: Array(body.utf8)) else { throw .tooLong }
    return try ProtectedResource(body, for: url, at: location)
  }

  private func refusal(_ body: String, at location: String = root) -> ResourceError? {
    do throws(ResourceError) {
      _ = try read(body, at: location)
      return nil
    } catch {
      return error
    }
  }

  private func document(_ resource: String) -> String {
    #"{"resource":"\#(resource)","authorization_servers":["https://id.example.com/t"]}"#
  }

  private func locations(_ url: String, _ named: String? = nil) throws -> [String] {
    let header = named.map { "WWW-Authenticate: Bearer resource_metadata=\"\($0)\"" }
    return try ProtectedResource.locations(
      of: url,
      challenge: BearerChallenge(headers: header.map { [$0] } ?? [])
    )
  }

  @Test
  func theDocumentIsWhereTheChallengeOrTheStandardSays() throws {
    let root = Self.root
    #expect(try locations(Self.url) == [root + "/a/mcp", root])
    #expect(try locations(Self.url + "/?x=y") == [root + "/a/mcp", root])
    #expect(try locations("https://mcp.example.com") == [root])
    #expect(
      try locations(Self.url, "https://MCP.example.com:443/m?x") == ["https://mcp.example.com/m?x"]
    )
    for other in [
      "https://evil.example/m", "http://mcp.example.com/m", "https://mcp.example.com:8443/m",
      "http://127.0.0.1:8080/m", "/m", "file:///etc/passwd", "https://a@mcp.example.com/m",
    ] {
      #expect(throws: ResourceError.otherOrigin(found: other)) { try locations(Self.url, other) }
    }
  }

  @Test
  func aDocumentOfThisResourceIsTaken() throws {
    let whole = try read(
      #"""
      {"resource":"\#(Self.url)","authorization_servers":["https://id.example.com/","https://b.example"],
      "scopes_supported":["read"],"bearer_methods_supported":["body","header"],"other":{"a":[1]}}
      """#
    )
    #expect(whole.resource == Self.url && whole.scopes == ["read"] && !whole.isWider)
    #expect(whole.issuers == ["https://id.example.com/", "https://b.example"])
    let same = try read(document(Self.url + "/"), at: Self.root + "/a/mcp")
    #expect(same.resource == Self.url + "/" && !same.isWider)
  }

  @Test(arguments: [
    "https://mcp.example.com/a", "https://mcp.example.com", "https://mcp.example.com/",
  ])
  func onlyTheDocumentOfTheWholeOriginNamesAWiderResource(_ wider: String) throws {
    let found = try read(document(wider))
    #expect(found.resource == wider && found.isWider)
    for location in [
      Self.root + "/a/mcp", Self.root + "/a", Self.root + "/", Self.root + "?x",
      "https://mcp.example.com/a/mcp/metadata",
    ] {
      #expect(refusal(document(wider), at: location) == .otherResource(found: wider))
    }
    // A document of the requested root allows no more.
    let origin = "https://mcp.example.com"
    #expect(try !read(document(origin), for: origin + "/").isWider)
  }

  @Test(arguments: [
    "https://evil.example/a/mcp", "http://mcp.example.com/a/mcp", "https://mcp.example.com/a/mc",
    "https://mcp.example.com/a/mcp/x", "https://mcp.example.com:8443/a/mcp", "urn:x", "",
    "https://mcp.example.com/a/../a/mcp", "https://mcp.example.com/a?x=y",
    "https://mcp.example.com/a#x",
  ])
  func aDocumentOfAnotherResourceIsRefused(_ resource: String) {
    #expect(refusal(document(resource)) == .otherResource(found: resource))
  }

  @Test
  func whatIsNoDocumentIsRefused() {
    let resource = #""resource":"\#(Self.url)""#
    #expect(refusal("") == .notAnObject)
    #expect(refusal("[]") == .notAnObject)
    #expect(refusal("{\(resource),\(resource)}") == .notAnObject)
    #expect(refusal(String(repeating: " ", count: 70_000)) == .tooLong)
    #expect(refusal(#"{"authorization_servers":["https://x"]}"#) == .member(.missing("resource")))
    #expect(refusal("{\(resource)}") == .noIssuer)
    let many = (0..<17).map { #""https://i\#($0).example""# }.joined(separator: ",")
    #expect(refusal(#"{\#(resource),"authorization_servers":[\#(many)]}"#) == .noIssuer)
    for (name, value) in [
      ("authorization_servers", "7"), ("authorization_servers", "[7]"),
      ("scopes_supported", "\"a\""),
      ("bearer_methods_supported", #"["body"]"#),
    ] {
      let error = refusal(#"{\#(resource),"\#(name)":\#(value)}"#)
      #expect(error == .member(.wrongType(name)))
    }
  }
}
