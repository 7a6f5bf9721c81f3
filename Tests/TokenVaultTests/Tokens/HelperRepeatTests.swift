import System
import Testing

@testable import TokenVault

/// A tool that runs its helper again, because a server may have refused the token.
@Suite(.timeLimit(.minutes(10)))
struct HelperRepeatTests {
  private let bench: Bench
  private let vault: Vault
  private let tool = Tool(process: 4211, started: 90_000)

  init() async throws {
    bench = try Bench()
    vault = try await bench.open()
    try await bench.signIn(vault)
  }

  func token(
    _ tool: Tool? = nil,
    scope: String? = nil,
    prompt: String? = nil,
    asking: Caller.Asking = .atOnce,
    of other: Vault? = nil
  ) async throws -> String {
    try await (other ?? vault).accessToken(
      account: "me",
      minimumLifetime: nil,
      rejected: nil,
      scope: scope,
      consent: .thisCall,
      prompt: prompt,
      tool: tool ?? self.tool,
      caller: caller(asking: asking)
    ).accessToken
  }

  @Test
  func theProviderDecides() async throws {
    #expect(try await token() == "at-1")
    bench.clock.advance(5)
    bench.exchange.plan(.answer(status: 200, body: "{}"))
    #expect(try await token() == "at-1")
    #expect(bench.exchange.requests.last?.url == "https://id.example.com/auth/verify")
    // One look in a minute.
    let requests = bench.exchange.requests.count
    bench.clock.advance(30)
    #expect(try await token() == "at-1")
    #expect(bench.exchange.requests.count == requests)
    bench.clock.advance(31)
    bench.exchange.plan(
      .answer(status: 401, body: "{}"),
      .tokens(access: "at-2", refresh: "rt-2")
    )
    #expect(try await token() == "at-2")
    #expect(try await vault.token().accessToken == "at-2")
    let records = try await vault.auditPage(after: 0, since: nil, account: nil)
    #expect(records.contains { $0.event == "token-rejected" })
  }

  @Test
  func aMinuteHasOneLookForAllCallers() async throws {
    let other = Tool(process: 4212, started: 90_000)
    #expect(try await token() == "at-1")
    #expect(try await token(other) == "at-1")
    bench.clock.advance(5)
    bench.exchange.plan(.answer(status: 200, body: "{}"))
    #expect(try await token() == "at-1")
    let requests = bench.exchange.requests.count
    bench.clock.advance(10)
    #expect(try await token(other) == "at-1")
    #expect(bench.exchange.requests.count == requests)
    bench.clock.advance(50)
    bench.exchange.plan(.answer(status: 200, body: "{}"))
    #expect(try await token(other) == "at-1")
    #expect(bench.exchange.requests.count == requests + 1)
  }

  @Test(arguments: [0, 4, 61])
  func anotherTimeIsNoRepeat(_ seconds: Int64) async throws {
    #expect(try await token() == "at-1")
    bench.clock.advance(seconds)
    #expect(try await token() == "at-1")
    #expect(bench.exchange.requests.count == 1)
  }

  @Test
  func anotherToolIsNoRepeat() async throws {
    #expect(try await token() == "at-1")
    bench.clock.advance(10)
    #expect(try await token(Tool(process: 4211, started: 90_001)) == "at-1")
    #expect(try await vault.token().accessToken == "at-1")
    #expect(bench.exchange.requests.count == 1)
  }

  /// The cache answers a helper without the actor, which then decides about a repeat.
  @Test
  func aRepeatIsNoAnswerOfTheCache() async throws {
    func cached(_ tool: Tool) -> String? {
      vault.cachedAccessToken(account: "me", minimumLifetime: nil, tool: tool)?.grant.accessToken
    }
    #expect(try await token() == "at-1")
    let other = Tool(process: 4211, started: 90_001)
    for wait in [0, 4] as [Int64] {
      bench.clock.advance(wait)
      #expect(cached(tool) == "at-1" && cached(other) == "at-1")
    }
    bench.clock.advance(1)
    #expect(cached(tool) == nil)
    bench.exchange.plan(
      .answer(status: 401, body: "{}"),
      .tokens(access: "at-2", refresh: "rt-2")
    )
    #expect(try await token() == "at-2")
    #expect(try await vault.token().accessToken == "at-2")
    // One look in a minute.
    bench.clock.advance(10)
    #expect(cached(tool) == "at-2")
    bench.clock.advance(50)
    // Of the second tool, only the cache has noted a token.
    #expect(cached(tool) == nil && cached(other) == "at-2")
    bench.clock.advance(5)
    #expect(cached(other) == nil)
  }

  @Test
  func anotherTokenIsNoRepeat() async throws {
    #expect(try await token() == "at-1")
    bench.clock.advance(10)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token(rejected: "at-1").accessToken == "at-2")
    #expect(try await token() == "at-2")
    #expect(bench.exchange.requests.count == 2)
  }

  @Test
  func aProviderThatCannotTellGetsOneRefresh() async throws {
    #expect(try await token() == "at-1")
    bench.clock.advance(10)
    let missing = ScriptedExchange.Step.answer(status: 404, body: "")
    bench.exchange.plan(missing, missing, missing, .tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await token() == "at-2")
    // The newer token was refused as well: the cause is not its end.
    bench.clock.advance(10)
    #expect(try await token() == "at-2")
    #expect(bench.exchange.refreshes.count == 1)
  }

  @Test(arguments: [403, 429, 500])
  func aProviderWithoutAClearAnswerKeepsTheToken(_ status: Int) async throws {
    #expect(try await token() == "at-1")
    bench.clock.advance(10)
    bench.exchange.plan(.answer(status: status, body: "{}"))
    #expect(try await token() == "at-1")
    #expect(bench.exchange.refreshes.isEmpty)
  }

  @Test
  func aWaitThatTheProviderAsksForIsKept() async throws {
    bench.clock.advance(1800)
    #expect(try await token() == "at-1")
    bench.exchange.plan(.answer(status: 429, retryAfter: 40, body: ""))
    _ = await failure { _ = try await vault.token(minimum: 3000) }
    let requests = bench.exchange.requests.count
    bench.clock.advance(10)
    #expect(try await token() == "at-1")
    #expect(bench.exchange.requests.count == requests)
  }

  @Test
  func onePromptInFiveMinutesComesOfRepeats() async throws {
    try await bench.protect(vault)
    _ = try await vault.lock(caller: caller())
    #expect(try await token() == "at-1")
    bench.clock.advance(10)
    bench.exchange.plan(.answer(status: 401, body: "{}"))
    let need = try await need { _ = try await token() }
    try await bench.pass(need, vault, caller())
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await token(prompt: need.prompt) == "at-2")
    let requests = bench.exchange.requests.count
    for _ in 0..<28 {
      bench.clock.advance(10)
      #expect(try await token() == "at-2")
    }
    #expect(bench.exchange.requests.count == requests)
    bench.clock.advance(20)
    bench.exchange.plan(.answer(status: 200, body: "{}"))
    #expect(try await token() == "at-2")
    #expect(bench.exchange.requests.count == requests + 1)
  }

  /// A call that opens no prompt ends no later look.
  @Test
  func aRepeatWithoutAPromptCountsAsNone() async throws {
    try await bench.protect(vault)
    _ = try await vault.lock(caller: caller())
    #expect(try await token() == "at-1")
    bench.clock.advance(10)
    bench.exchange.plan(.answer(status: 401, body: "{}"))
    #expect(try await need { _ = try await token(asking: .never) }.prompt.isEmpty)
    let need = try await need { _ = try await token() }
    try await bench.pass(need, vault, caller())
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await token(prompt: need.prompt) == "at-2")
    bench.clock.advance(30)
    #expect(try await token() == "at-2")
    let requests = bench.exchange.requests.count
    bench.clock.advance(30)
    bench.exchange.plan(.answer(status: 200, body: "{}"))
    #expect(try await token() == "at-2")
    #expect(bench.exchange.requests.count == requests + 1)
  }
}
