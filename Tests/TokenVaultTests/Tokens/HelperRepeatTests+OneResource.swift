import Presence
import Testing

@testable import TokenVault

extension HelperRepeatTests {
  /// Where an account has a token for one resource only, such as an MCP server.
  private func forOneResource() async throws -> (Bench, Vault) {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signInOAuth(
      vault,
      settings: [
        "resource": "https://mcp.example.com/mcp", "resource_only": "true",
        "userinfo_endpoint": "https://id.example.com/me",
      ]
    )
    return (bench, vault)
  }

  /// No endpoint is asked about it.
  @Test
  func aTokenForOneResourceGetsOneRefreshInAMinute() async throws {
    let (bench, vault) = try await forOneResource()
    #expect(try await token(of: vault) == "at-1")
    bench.clock.advance(5)
    bench.exchange.plan(oauthTokens("at-2", refresh: "rt-2"))
    #expect(try await token(of: vault) == "at-2")
    for _ in 0..<5 {
      bench.clock.advance(11)
      #expect(try await token(of: vault) == "at-2")
    }
    #expect(bench.forms.count == 1)
    bench.clock.advance(5)
    bench.exchange.plan(oauthTokens("at-3", refresh: "rt-3"))
    #expect(try await token(of: vault) == "at-3")
    #expect(bench.forms.count == 2)
    #expect(bench.exchange.requests.allSatisfy { $0.url == "https://id.example.com/token" })
    #expect(try await !isRejected(in: vault))
  }

  private func isRejected(in vault: Vault) async throws -> Bool {
    try await vault.auditPage(after: 0, since: nil, account: nil).contains {
      $0.event == "token-rejected"
    }
  }

  /// A suspicion does not cost a valid token if a tool only connects again.
  @Test(arguments: [
    ScriptedExchange.Step.nothingSent, .notStarted("gone"), .died, .answer(status: 500, body: ""),
    .answer(status: 429, retryAfter: 40, body: ""),
  ])
  func aTokenForOneResourceIsKeptIfNoNewerOneComes(_ step: ScriptedExchange.Step) async throws {
    let (bench, vault) = try await forOneResource()
    #expect(try await token(of: vault) == "at-1")
    bench.clock.advance(5)
    bench.exchange.plan(step)
    #expect(try await token(of: vault) == "at-1")
    #expect(try await vault.token().accessToken == "at-1")
    #expect(try await !isRejected(in: vault))
  }

  @Test
  func aTokenForOneResourceIsKeptWithoutATouch() async throws {
    let (bench, vault) = try await forOneResource()
    try await bench.protect(vault)
    _ = try await vault.lock(caller: caller())
    let requests = bench.exchange.requests.count
    #expect(try await token(of: vault) == "at-1")
    bench.clock.advance(5)
    #expect(try await token(of: vault) == "at-1")
    #expect(await vault.prompts.isEmpty)
    #expect(try await vault.token().accessToken == "at-1")
    #expect(bench.exchange.requests.count == requests)
    #expect(try await !isRejected(in: vault))
  }

  @Test
  func theEndOfALoginIsToldAtARepeat() async throws {
    let (bench, vault) = try await forOneResource()
    #expect(try await token(of: vault) == "at-1")
    bench.clock.advance(5)
    bench.exchange.plan(.answer(status: 400, body: #"{"error":"invalid_grant"}"#))
    let failure = await failure { _ = try await token(of: vault) }
    guard case .loginRequired? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  @Test
  func aTokenForOneResourceIsKeptWhileItsProviderAsksForAWait() async throws {
    let (bench, vault) = try await forOneResource()
    bench.clock.advance(1800)
    #expect(try await token(of: vault) == "at-1")
    bench.exchange.plan(.answer(status: 429, retryAfter: 40, body: ""))
    _ = await failure { _ = try await vault.token(minimum: 3000) }
    let requests = bench.exchange.requests.count
    bench.clock.advance(10)
    #expect(try await token(of: vault) == "at-1")
    #expect(bench.exchange.requests.count == requests)
  }

  /// An OAuth provider says at its userinfo endpoint whether it accepts a token.
  @Test
  func userinfoDecidesAboutATokenOfOAuth() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let userinfo = "https://id.example.com/me"
    try await bench.signInOAuth(vault, settings: ["userinfo_endpoint": userinfo])
    #expect(try await token(of: vault) == "at-1")
    bench.clock.advance(5)
    bench.exchange.plan(.answer(status: 200, body: "{}"))
    #expect(try await token(of: vault) == "at-1")
    #expect(bench.exchange.requests.last?.url == userinfo && bench.forms.isEmpty)
    bench.clock.advance(61)
    #expect(try await token(of: vault) == "at-1")
    bench.clock.advance(5)
    bench.exchange.plan(
      .answer(status: 401, body: "{}"),
      oauthTokens("at-2", refresh: "rt-2")
    )
    #expect(try await token(of: vault) == "at-2")
    let asked = bench.exchange.requests.suffix(2).map(\.url)
    #expect(asked == [userinfo, "https://id.example.com/token"])
    #expect(bench.forms.count == 1)
    #expect(try await isRejected(in: vault))
  }
}
