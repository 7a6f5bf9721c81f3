import Configuration
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// A change of provider is stopped at each of its system calls.
///
/// The account has completely the old provider or the new one, and its token is sent to that
/// provider.
@Suite(.timeLimit(.minutes(30)))
struct ProviderChangeKillTests {
  private func judge(_ bench: Bench, _ lines: [String]) async throws -> Bool {
    let vault = try await bench.open()
    #expect(await vault.freshness == .current)
    let issuer = try await vault.boundProvider(account: "work").provider.issuer.text
    let isNew = issuer == "https://later.example.com"
    #expect(isNew || issuer == "https://id.example.com")
    if lines.contains("done") { #expect(isNew) }
    // No access token of the old provider is kept with the new one.
    #expect(try await (vault.token(of: vault.row("work")) == nil) == isNew)
    if isNew { #expect(try await vault.cachedToken("work") == nil) }
    #expect(try await vault.row("work").generation == (isNew ? 2 : 1))
    #expect(try await vault.verifyAuditLog().isWhole)
    bench.clock.advance(7200)
    try await bench.unlock(vault)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token("work").accessToken == "at-2")
    #expect(bench.exchange.requests.map(\.url) == [issuer + "/auth/refresh"])
    #expect(bench.exchange.refreshes == [#"{"refresh_token":"rt-work"}"#])
    return isNew
  }

  @Test(arguments: [
    ("write", StoppedProgram.Injection.kill), ("pwrite64", .kill), ("fsync", .kill),
    ("fdatasync", .kill),
    ("unlinkat", .kill), ("ftruncate", .kill), ("pwrite64", .noSpace), ("fdatasync", .ioError),
  ])
  func aStopAtAnyCallLeavesTheOldProviderOrTheNewOne(
    _ call: String,
    _ injection: StoppedProgram.Injection
  ) async throws {
    let made = try Bench()
    try await made.makeVault()
    let (stops, outcomes) = try await Writer.stopped(.apply, of: made, at: call, injection) {
      try await judge($0, $1)
    }
    #expect(outcomes.contains(true))
    // Control: the injection hits the writer.
    if call != "ftruncate" { #expect(stops > 0) }
  }
}
