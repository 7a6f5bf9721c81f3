import Configuration
import Testing

@Suite
struct RequestTargetTests {
  private func allowed(_ url: String, _ issuer: String, _ hosts: [String] = []) throws -> Bool {
    try RequestTarget(url).mayGetToken(issuer: Issuer(issuer), hosts: hosts)
  }

  @Test
  func aTokenGoesToTheIssuersOwnOrigin() throws {
    let issuer = "https://id.example.com/tenant"
    #expect(try allowed("https://id.example.com/api/v1?x=1", issuer))
    #expect(try allowed("HTTPS://ID.example.com:443", issuer))
    #expect(try allowed("http://127.0.0.1:8000/a", "http://127.0.0.1:8000"))
    for url in [
      "https://api.example.com/", "https://id.example.com:8443/",
      "https://id.example.com.evil.org/",
      "https://evil.org/id.example.com", "https://evil.org?https://id.example.com",
      "https://example.com/", "https://xid.example.com/",
    ] { #expect(try !allowed(url, issuer), "\(url)") }
    // Another port of this machine is another server, and plain HTTP is another origin.
    #expect(try !allowed("http://127.0.0.1:8001/", "http://127.0.0.1:8000"))
    #expect(try !allowed("http://localhost:8000/", "http://127.0.0.1:8000"))
    #expect(try !allowed("http://localhost/", "https://localhost"))
  }

  @Test
  func aTokenForOneResourceGoesThereOnly() throws {
    let allowed = { (url: String, resource: String) in
      let issuer = try Issuer("https://id.example.com")
      return try RequestTarget(url).mayGetToken(
        issuer: issuer,
        hosts: ["mcp.example.com"],
        resource: resource
      )
    }
    let resource = "https://mcp.example.com/a/mcp"
    for url in [
      resource, resource + "/", resource + "?x=/../", resource + "/b;c/d",
      "https://MCP.example.com:443/a/mcp",
    ] { #expect(try allowed(url, resource), "\(url)") }
    for url in [
      "https://id.example.com/", "https://mcp.example.com/", "https://mcp.example.com/a/mcpx",
      "https://mcp.example.com/a/MCP", "https://mcp.example.com:8443/a/mcp",
      "http://127.0.0.1/a/mcp", resource + "/..", resource + "/../x", resource + "/./x",
      resource + "/%2e%2E/x", resource + "/..%2fx", resource + "/%5c..", resource + "/%252e",
      resource + "/..;x/y", "https://mcp.example.com//a/mcp", "https://evil.example/a/mcp",
    ] { #expect(try !allowed(url, resource), "\(url)") }
    #expect(try allowed("https://mcp.example.com/x", "https://mcp.example.com"))
    #expect(try allowed("https://mcp.example.com/x", "https://mcp.example.com/"))
    #expect(try !allowed("https://mcp.example.com/", "not a URL"))
  }

  @Test
  func otherHostsAreNamedWithTheirPorts() throws {
    let issuer = "https://id.example.com"
    let hosts = ["api.example.com", "api.example.com:8443", "127.0.0.1:8001", "[::1]:9000"]
    for url in [
      "https://api.example.com/x", "https://API.example.com:8443/x", "https://127.0.0.1:8001/",
      "https://[::1]:9000/", "https://api.example.com:443/",
    ] { #expect(try allowed(url, issuer, hosts), "\(url)") }
    // Plain HTTP only with an issuer that speaks it, because any user may listen at a free port
    // here.
    #expect(try !allowed("http://127.0.0.1:8001/", issuer, hosts))
    #expect(try allowed("http://127.0.0.1:8001/", "http://127.0.0.1:8000", hosts))
    #expect(try allowed("http://[::1]:9000/", "http://127.0.0.1:8000", hosts))
    for url in [
      "https://api.example.com:444/", "https://x.api.example.com/", "http://127.0.0.1:8002/",
      "http://[::1]/",
    ] { #expect(try !allowed(url, issuer, hosts), "\(url)") }
  }

  @Test(arguments: [
    "", "https://", "ftp://example.com", "//example.com/", "http://example.com/",
    "https://user@example.com/", "https://user:pw@example.com/", "https://example.com\\@evil.org/",
    "https://exa mple.com/", "https://example.com/\r\nX: y", "https://ex%61mple.com/",
    "https://example.com:0/", "https://example.com:99999/", "https:///path", "http://127.1/",
    "http://0x7f000001/", "https://bücher.example/", "https://.example.com/", "javascript:alert(1)",
    "https://example.com/" + String(repeating: "a", count: 9000),
  ])
  func whatTwoReadersCouldTakeForTwoPlacesIsRefused(_ url: String) {
    #expect(throws: ConfigurationError.self) { try RequestTarget(url) }
  }

  @Test
  func theTargetIsComposedAgainFromItsParts() throws {
    #expect(try RequestTarget("HTTPS://Example.COM?a=b#c").text == "https://example.com/?a=b")
    #expect(
      try RequestTarget("https://example.com:443/A/../b").text == "https://example.com/A/../b"
    )
    #expect(try RequestTarget("https://example.com:8443").text == "https://example.com:8443/")
    #expect(try RequestTarget("https://example.com/#x").text == "https://example.com/")
  }

  @Test
  func theSettingIsSortedAndPartOfTheBindingOnlyWhereItIsUsed() throws {
    let name = try ProviderName("dev")
    let base = ["kind": "password-backend", "issuer": "https://id.example.com"]
    let plain = try Provider(name: name, settings: base)
    #expect(plain.apiHosts.isEmpty && plain.settings["api_hosts"] == nil)
    let provider = try Provider(
      name: name,
      settings: base.merging(["api_hosts": "B.example.com:443; a.example.com:8443;b.example.com"]) {
        $1
      }
    )
    #expect(provider.apiHosts == ["a.example.com:8443", "b.example.com"])
    #expect(provider.canonicalForm != plain.canonicalForm)
    #expect(try Provider(name: name, canonicalForm: provider.canonicalForm) == provider)
    for bad in [
      "", "*", "*.example.com", "https://a.example.com", "a.example.com/x", "a;;b", "a b",
    ] {
      #expect(throws: ConfigurationError.self, "\(bad)") {
        try Provider(name: name, settings: base.merging(["api_hosts": bad]) { $1 })
      }
    }
  }
}
