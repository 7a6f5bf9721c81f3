import Configuration
import Testing

/// The time limits for a provider's answer.
struct ExchangeLimitsTests {
  private func provider(_ settings: [String: String]) throws -> Provider {
    let base = ["kind": "password-backend", "issuer": "https://id.example.com"]
    return try Provider(name: ProviderName("dev"), settings: base.merging(settings) { $1 })
  }

  @Test(
    arguments: [
      ([:], 28, 10), (["timeout": "5s"], 5, 5), (["timeout": "60s"], 60, 10),
      (["connect_timeout": "3s"], 28, 3), (["timeout": "60s", "connect_timeout": "30s"], 60, 30),
      (["timeout": "1s", "connect_timeout": "1s"], 1, 1),
    ] as [([String: String], Int, Int)]
  )
  func eachIsSecondsWithinItsBounds(
    _ settings: [String: String],
    _ total: Int,
    _ connection: Int
  ) throws {
    let limits = try provider(settings).limits
    #expect(limits.total == total && limits.connection == connection)
  }

  @Test(arguments: [
    ("timeout", "0s"), ("timeout", "61s"), ("timeout", "20"), ("timeout", "1m"), ("timeout", "s"),
    ("timeout", "-5s"), ("timeout", "05s"), ("timeout", "5 s"), ("timeout", "999999999999999999s"),
    ("timeout", "٥s"), ("connect_timeout", "31s"), ("connect_timeout", "0s"),
    ("connect_timeout", "29s"),
  ])
  func anythingElseIsRefusedWithTheKey(_ key: String, _ value: String) throws {
    let error = try #require(throws: ConfigurationError.self) { try provider([key: value]) }
    #expect(error.key == key)
  }

  @Test
  func whatIsTheDefaultIsNotInTheFormThatAccountsAreBoundTo() throws {
    let plain = try provider([:])
    #expect(plain.settings["timeout"] == nil && plain.settings["connect_timeout"] == nil)
    let same = try provider(["timeout": "28s", "connect_timeout": "10s"])
    #expect(same.canonicalForm == plain.canonicalForm)
    let other = try provider(["timeout": "5s", "connect_timeout": "2s"])
    #expect(other.canonicalForm != plain.canonicalForm)
    let read = try Provider(name: ProviderName("dev"), canonicalForm: other.canonicalForm)
    #expect(read == other && read.limits == other.limits)
    #expect(try ProviderFile.text(for: other).contains("timeout = 5s\n"))
  }
}
