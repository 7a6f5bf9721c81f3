import Configuration
import Testing

@Suite
struct IssuerTests {
  @Test(arguments: [
    ("https://id.example.com", "https://id.example.com"),
    ("HTTPS://ID.Example.COM/", "https://id.example.com"),
    ("https://id.example.com:443/realms/A/", "https://id.example.com/realms/A"),
    ("https://id.example.com:8443", "https://id.example.com:8443"),
    ("http://localhost:8000", "http://localhost:8000"),
    ("http://127.0.0.1:80/x", "http://127.0.0.1/x"),
    ("http://127.9.8.7", "http://127.9.8.7"),
    ("http://[::1]:8000", "http://[::1]:8000"),
    ("https://[2001:DB8::5]", "https://[2001:db8::5]"),
    ("https://[::ffff:10.0.0.1]", "https://[::ffff:10.0.0.1]"),
  ])
  func aURLHasOneSpelling(_ text: String, _ canonical: String) throws {
    #expect(try Issuer(text).text == canonical)
    #expect(try Issuer(canonical).text == canonical)
  }

  @Test(arguments: [
    "", "id.example.com", "https://", "https:///path", "ftp://id.example.com",
    "http://id.example.com", "http://localhost.example.com", "http://localhost.",
    "http://127.0.0.1.example.com", "http://127.1", "http://0x7f000001", "http://127.0.0.256",
    "http://127.0.0.01", "http://[::2]", "http://[0:0:0:0:0:0:0:0:1]", "http://foo.localhost",
    "https://user@id.example.com", "https://user:password@id.example.com",
    "https://id.example.com?x=1", "https://id.example.com#f", "https://id.example.com/a?b",
    "https://id.example.com/../x", "https://id.example.com//x", "https://id.example.com/%2e%2e",
    "https://id.example.com//", "https://id.example.com/a//",
    "https://id.example.com:0", "https://id.example.com:65536", "https://id.example.com:",
    "https://id.example.com:+1", "https://id example.com", "https://id.example.com\n",
    "https://-a.example.com", "https://a..b", "https://bücher.example", "https://[::1",
    "https://[1:2:3]", "https://[:::]", "https://id.example.com\\@evil.example",
  ])
  func everythingElseIsRefused(_ text: String) {
    #expect(throws: ConfigurationError.self) { try Issuer(text) }
  }

  @Test(arguments: [("https://b\u{FC}cher.example", true), ("https://a_b.example", false)])
  func theASCIIFormOfAnInternationalNameIsNamed(_ text: String, _ isNamed: Bool) throws {
    let error = try #require(#expect(throws: ConfigurationError.self) { try Issuer(text) })
    #expect(error.description.contains("xn--") == isNamed, "\(error)")
  }

  @Test
  func aPasswordInAURLIsNotQuoted() throws {
    let error = try #require(
      #expect(throws: ConfigurationError.self) { try Issuer("https://me:hunter2@id.example.com") }
    )
    #expect(!error.description.contains("hunter2"))
  }

  @Test
  func onlyThisMachineIsLoopback() throws {
    #expect(try Issuer("http://localhost").isLoopback)
    #expect(try Issuer("http://localhost").isPlain)
    #expect(try !Issuer("https://127.example.com").isLoopback)
  }
}
