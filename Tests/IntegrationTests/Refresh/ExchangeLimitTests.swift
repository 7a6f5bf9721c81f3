import System
import TestSupport
import Testing

/// The time limit for an answer of the provider, as the provider's file sets it.
@Suite(.serialized)
struct ExchangeLimitTests {
  private func person(_ settings: String...) throws -> Person {
    let person = try Person()
    try person.run("provider", "remove", "dev").succeeded()
    let add = ["provider", "add", "dev", "--kind", "password-backend"]
    let set = settings.flatMap { ["--set", $0] }
    try person.run(add + ["--issuer", person.backend.url] + set).succeeded()
    try person.register()
    try person.expireTokens()
    return person
  }

  @Test
  func aShortOneGivesUpSoon() throws {
    let person = try person("timeout=1s")
    try person.backend.fail(DevBackendFault("/auth/refresh", .hang))
    let begun = BootInstant.now
    let token = try person.run("token", "me")
    #expect(token.end == .exited(5), "\(token.text)")
    // Well before the default of 28 s, also on a busy machine.
    #expect(BootInstant.now.seconds(since: begun) < 20)
    #expect(try person.run("status", "me").succeeded().contains("uncertain"))
  }

  @Test
  func aLongOneWaitsForASlowProvider() throws {
    let person = try person("timeout=60s")
    // Longer than the exchange helper's default life, and longer than the engine's default wait.
    try person.backend.fail(DevBackendFault("/auth/refresh", delay: 34))
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
    let refreshes = try person.backend.requests().filter { $0.path == "/auth/refresh" }
    #expect(refreshes.map(\.status) == [200])
  }

  @Test(arguments: ["timeout=61s", "timeout=20", "connect_timeout=31s", "connect_timeout=0s"])
  func whatIsBeyondTheBoundsIsRefused(_ setting: String) throws {
    let person = try Person()
    let add = try person.run(
      ["provider", "add", "other", "--kind", "password-backend", "--issuer", "https://a.test"]
        + ["--set", setting]
    )
    #expect(add.end == .exited(2), "\(add.text)")
    #expect(add.text.contains(setting.prefix { $0 != "=" }))
  }
}
