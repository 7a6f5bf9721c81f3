import Testing

@testable import TokenVault

/// The records of tokens that are opened without a check.
extension OneTokenTests {
  @Test
  func aFloodOfCallsIsCountedAndDoesNotPushOutTheHistory() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    for _ in 0..<70 { _ = try await vault.token() }
    bench.clock.advance(60)
    _ = try await vault.token()
    let records = try await vault.auditPage(after: 0, since: nil, account: "me")
      .filter { $0.event == "release" }
    #expect(records.count == 61)
    #expect(records.last?.detail == "as the access token, and 10 times before")
  }

  /// The records of stated reasons do not stand for openings, and the end of the vault writes them.
  @Test
  func noOpeningIsLost() async throws {
    let bench = try Bench()
    let vault = try await signedIn(bench)
    try await bench.signIn(vault, "other")
    for _ in 0..<65 { _ = try await vault.token() }
    bench.clock.advance(60)
    _ = try await vault.accessToken(
      account: "other",
      minimumLifetime: nil,
      rejected: nil,
      prompt: nil,
      reason: "a test",
      caller: caller()
    )
    await vault.retire()
    let details = try await vault.auditPage(after: 0, since: nil, account: "me")
      .filter { $0.event == "release" }.map(\.detail)
    #expect(details.count == 61)
    #expect(details.last == "as the access token, 5 times without a check")
  }
}
