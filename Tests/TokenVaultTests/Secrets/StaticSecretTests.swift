import Configuration
import JSON
import Presence
import PresenceTerms
import SecretMemory
import Storage
import System
import Testing

@testable import TokenVault

/// Accounts that keep a secret without a login.
@Suite(.timeLimit(.minutes(10)))
struct StaticSecretTests {
  @Test
  func theSecretComesOutAndIsInNoFile() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let claims = JSONObject([("attributes", .object(JSONObject([("service", "mail")])))])
    let facts = try await vault.put(
      "ghp_1",
      StaticSecret(secret: shared(""), username: "ann", label: "GitHub", claims: claims)
    )
    #expect(facts.kind == "static" && facts.issuer == "https://git.example.com")
    #expect(facts.subject == "ann" && facts.displayName == "GitHub" && facts.state == .ready)
    #expect(facts.person.claims == claims && facts.accessTokenExpiresAt == nil)
    let grant = try await vault.token()
    #expect(grant.accessToken == "ghp_1" && grant.expiresAt == nil)
    #expect(grant.tokenType == "Bearer" && !grant.isShorterThanRequested)
    #expect(try bench.scratch.files().values.allSatisfy { !holds($0, Array("ghp_1".utf8)) })
    #expect(try await vault.cachedToken() == nil)
    #expect(try await vault.events().contains("secret-stored done"))
    #expect(bench.exchange.requests.isEmpty)
  }

  @Test(arguments: ["refresh_token", "client_secret"])
  func claimsHoldNoSecret(_ name: String) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let inner = JSONObject([(name, .string("x"))])
    let claims = JSONObject([("a", .array([.object(inner)]))])
    let secret = StaticSecret(secret: shared(""), claims: claims)
    #expect(
      await failure { try await vault.put("ghp_1", secret) }
        == .invalidArgument("claims must not have a member named \(name)")
    )
  }

  @Test
  func anotherEngineHandsItOut() async throws {
    let bench = try Bench()
    do {
      let vault = try await bench.open()
      try await vault.put("ghp_1")
    }
    let vault = try await bench.open()
    #expect(try await vault.token().accessToken == "ghp_1")
  }

  @Test
  func aNewSecretTakesThePlaceOfTheOldOne() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await vault.put("ghp_1")
    let box = try #require(try await vault.row().sealedRefreshToken)
    try await vault.put("ghp_2")
    #expect(try await vault.token().accessToken == "ghp_2")
    #expect(try bench.filesHolding([box]) == [])
  }

  @Test
  func anExpiredSecretNeedsAnother() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let end = bench.clock.wall.seconds + 30 * 24 * 3600
    try await vault.put("ghp_1", StaticSecret(secret: shared(""), expiresAt: end))
    #expect(try await vault.token().expiresAt == end)
    #expect(await vault.examineAccounts().allSatisfy { $0.level == .ok })
    bench.clock.advance(16 * 24 * 3600)
    let reminder = try #require(await vault.examineAccounts().first)
    #expect(reminder.level == .warning && reminder.message.contains("expires at"))
    #expect(reminder.remedy?.contains("thumblatch store me") == true)
    bench.clock.advance(14 * 24 * 3600)
    guard case .loginRequired("me", let why)? = await failure({ _ = try await vault.token() })
    else {
      Issue.record("handed out")
      return
    }
    #expect(why == "its secret has expired")
    let facts = try await vault.stateOfMe()
    #expect(facts.state == .loginRequired && facts.cause == why)
    #expect(await vault.examineAccounts().first?.message.contains("needs another secret") == true)
    try await vault.put("ghp_2")
    #expect(try await vault.token().accessToken == "ghp_2")
  }

  @Test
  func aChangeOfItsHostsKeepsTheSecretAndItsEnd() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.enroll(vault)
    let end = bench.clock.wall.seconds + 30 * 24 * 3600
    try await vault.put("ghp_1", StaticSecret(secret: shared(""), expiresAt: end))
    let wider = try staticHost(["api_hosts": "api.example.com"])
    let need = try await need {
      _ = try await vault.applyProvider(wider, account: "me", prompt: nil, caller: caller())
    }
    try await bench.pass(need, vault, caller())
    let facts = try await vault.applyProvider(
      wider,
      account: "me",
      prompt: need.prompt,
      caller: caller()
    )
    #expect(facts.state == .ready && facts.accessTokenExpiresAt == end)
    let grant = try await vault.token()
    #expect(grant.accessToken == "ghp_1" && grant.expiresAt == end)
  }

  @Test
  func aLoginDoesNotReplaceIt() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await vault.put("ghp_1")
    let elsewhere = try provider()
    let calls: [() async throws -> Void] =
      [false, true].map { registering in
        {
          _ = try await vault.signIn(
            account: "me",
            provider: elsewhere,
            email: "a@b.c",
            password: shared("x"),
            registering: registering,
            displayName: nil,
            caller: caller()
          )
        }
      } + [
        {
          _ = try await vault.beginLogin(
            account: "me",
            provider: elsewhere,
            flow: .device,
            caller: caller()
          )
        }
      ]
    for call in calls {
      guard case .invalidArgument(let message)? = await failure(call) else {
        Issue.record("it was replaced")
        continue
      }
      #expect(message.contains("thumblatch account remove me"))
    }
    #expect(bench.exchange.requests.isEmpty)
    #expect(try await vault.token().accessToken == "ghp_1")
  }

  @Test
  func onlyAChoiceMakesItTheDefault() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await vault.put("ghp_1")
    guard case .invalidArgument? = await failure({ _ = try await vault.token(nil) }) else {
      Issue.record("a secret was handed out for no name")
      return
    }
    try await bench.signIn(vault, "work", refresh: "rt-w", access: "at-w")
    #expect(try await vault.token(nil).accessToken == "at-w")
    #expect(try await vault.frontsDefault() == "work")
    #expect(try await vault.accountFacts(named: nil).map(\.isDefault) == [false, true])
    try await vault.put("ghp_2")
    #expect(try await vault.frontsDefault() == "work")
    #expect(try await vault.setDefault(account: "me", caller: caller()).isDefault)
    #expect(try await vault.token(nil).accessToken == "ghp_2")
    #expect(try await vault.frontsDefault() == "me")
    _ = try await vault.remove(account: "me", local: true, caller: caller())
    #expect(try await vault.token(nil).accessToken == "at-w")
  }

  @Test
  func aRefusedSecretIsNotHandedOutToThatCaller() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await vault.put("ghp_1")
    guard case .loginRequired? = await failure({ _ = try await vault.token(rejected: "ghp_1") })
    else {
      Issue.record("handed out again")
      return
    }
    #expect(try await vault.token(rejected: "ghp_0").accessToken == "ghp_1")
    #expect(bench.exchange.requests.isEmpty)
  }

  @Test
  func whatTakesALoginSaysSo() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await vault.put("ghp_1")
    let host = try staticHost()
    let calls: [(String, () async throws -> Void)] = [
      (
        "static secret",
        { _ = try await vault.profile(account: "me", prompt: nil, caller: caller()) }
      ),
      (
        "static secret",
        { _ = try await vault.verification(account: "me", prompt: nil, caller: caller()) }
      ),
      ("static secret", { _ = try await vault.token(scope: "read") }),
      (
        "thumblatch store me",
        {
          _ = try await vault.signIn(
            account: "me",
            provider: nil,
            email: "a@b.c",
            password: shared("x"),
            registering: false,
            displayName: nil,
            caller: caller()
          )
        }
      ),
      (
        "thumblatch store other",
        {
          _ = try await vault.beginLogin(
            account: "other",
            provider: host,
            flow: .device,
            caller: caller()
          )
        }
      ),
      (
        "not exportable",
        { _ = try await vault.release(account: "me", keep: true, prompt: nil, caller: caller()) }
      ),
    ]
    for (words, call) in calls {
      let failure = await failure(call)
      #expect(
        "\(String(describing: failure))".contains(words) || failure == .notExportable(account: "me")
      )
    }
    await vault.refreshAhead()
    #expect(bench.exchange.requests.isEmpty)
    #expect(try await vault.token().accessToken == "ghp_1")
  }

  @Test
  func aSignOutErasesItAndSaysWhereItStaysValid() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await vault.put("ghp_1")
    let answer = try await vault.signOut(account: "me", local: false, caller: caller())
    #expect(answer.grant == .valid && answer.reason?.contains("git.example.com") == true)
    #expect(try await vault.row().sealedRefreshToken == nil)
    guard case .loginRequired? = await failure({ _ = try await vault.token() }) else {
      Issue.record("handed out")
      return
    }
    try await vault.put("ghp_2")
    let removed = try await vault.remove(account: "me", local: false, caller: caller())
    #expect(removed.grant == .valid)
    #expect(try await vault.accountFacts(named: nil).isEmpty)
  }

  /// No login and no provider could bring it back.
  @Test
  func theAcceptanceOfARestoredVaultKeepsIt() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await vault.put("ghp_1")
    try await bench.signIn(vault, "you")
    #expect(try await bench.accept(vault) == ["you"])
    #expect(try await vault.token("me").accessToken == "ghp_1")
  }
}
