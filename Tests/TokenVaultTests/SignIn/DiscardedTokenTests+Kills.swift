import Storage
import Testing

@testable import TokenVault

/// Logins that a kill interrupts.
extension DiscardedTokenTests {
  /// A sign-in that replaces another, killed when its answer was durable.
  private func killed(_ bench: Bench, _ vault: Vault) async throws -> Bench {
    _ = try await login(bench, vault)
    let written = Box<Bench>()
    bench.exchange.observe { stage in
      // The answer to the sign-in, not the answer to the revocation after it.
      if stage == "written", written.value == nil { written.put(try? bench.snapshot()) }
    }
    _ = try await login(bench, vault, refresh: "rt-2", discovers: false, then: Self.revoked)
    bench.exchange.observe { _ in }
    return try #require(written.value)
  }

  @Test
  func theNextEngineEndsTheLoginThatItReplaces() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let killed = try await killed(bench, vault)
    let next = try await killed.open()
    killed.exchange.plan(Self.revoked)
    let account = try await next.row().id
    _ = try await next.withAccount(account) { $0 }
    #expect(revocations(killed) == ["rt-1"])
    #expect(await next.signIns.discarded.isEmpty)
    killed.clock.advance(7200)
    killed.exchange.plan(.nothingSent)
    _ = try? await next.token()
    #expect(killed.forms.last?["refresh_token"] == "rt-2")
  }

  @Test
  func theNextEngineDoesNotOpenAProtectedTokenForThat() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    _ = try await login(bench, vault)
    try await bench.protect(vault)
    let written = Box<Bench>()
    bench.exchange.observe { if $0 == "written" { written.put(try? bench.snapshot()) } }
    _ = try await login(bench, vault, refresh: "rt-2", discovers: false)
    let killed = try #require(written.value)
    let next = try await killed.open()
    let account = try await next.row().id
    _ = try await next.withAccount(account) { $0 }
    #expect(try await next.row().generation == 2)
    #expect(killed.exchange.requests.isEmpty)
  }
}
