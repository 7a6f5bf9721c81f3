import JSON
import OAuth
import Storage
import System
import Testing

@testable import TokenVault

/// Whether a provider still accepts an access token, and what it reports about the person.
@Suite(.timeLimit(.minutes(10)))
struct VerifyTokenTests {
  private func verify(_ vault: Vault) async throws -> TokenVerification {
    try await vault.verification(account: "me", prompt: nil, caller: caller()).verification
  }

  @Test
  func aTokenThatIsAcceptedStaysAndItsEndIsTold() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.exchange.plan(
      .answer(status: 200, body: #"{"valid":true,"expires_in":60,"user":{"id":"7","role":"x"}}"#)
    )
    let found = try await verify(vault)
    #expect(found.isAccepted)
    #expect(found.expiresAt == bench.clock.wall.seconds + 60)
    #expect(bench.exchange.requests.last?.url == "https://id.example.com/auth/verify")
    #expect(try await vault.token().accessToken == "at-1")
    #expect(try await vault.accountFacts(named: "me").first?.person.role == "x")
    // If the provider gives no end, the vault's own record counts.
    bench.exchange.plan(.answer(status: 200, body: "{}"))
    #expect(try await verify(vault).expiresAt == bench.clock.wall.seconds + 3600)
    #expect(bench.exchange.refreshes.isEmpty)
  }

  @Test(arguments: [(401, "{}"), (200, #"{"valid":false}"#)])
  func aTokenThatIsRefusedIsNotHandedOutAgain(_ status: Int, _ body: String) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.exchange.plan(.answer(status: status, body: body))
    let found = try await verify(vault)
    #expect(!found.isAccepted && found.expiresAt == nil)
    #expect(bench.exchange.refreshes.isEmpty)
    #expect(try bench.scratch.files()["tokens/me"] == nil)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
  }

  @Test
  func whereNothingVerifiesTheProfileTells() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.exchange.plan(
      .answer(status: 404, body: ""),
      .answer(status: 405, body: ""),
      .answer(status: 200, body: #"{"id":"7"}"#)
    )
    #expect(try await verify(vault).isAccepted)
    let asked = bench.exchange.requests.suffix(3).map(\.url)
    let paths = ["/auth/verify", "/auth/me", "/user/profile"]
    #expect(asked == paths.map { "https://id.example.com" + $0 })
    bench.exchange.plan(
      .answer(status: 404, body: ""),
      .answer(status: 404, body: ""),
      .answer(status: 404, body: "")
    )
    let nowhere = await failure { _ = try await verify(vault) }
    guard case .misconfigured(let why)? = nowhere, why.contains("verify_path") else {
      Issue.record("\(String(describing: nowhere))")
      return
    }
  }

  @Test
  func anAnswerThatIsNeitherKeepsTheToken() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.exchange.plan(.answer(status: 403, body: #"{"message":"not now"}"#))
    let refusal = await failure { _ = try await verify(vault) }
    #expect(refusal == .providerRefused(status: 403, "not now"))
    #expect(try await vault.token().accessToken == "at-1")
  }

  @Test
  func whatTheProviderTellsOfThePersonIsKeptAndMerged() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    func person() async throws -> PersonFacts {
      try #require(try await vault.accountFacts(named: "me").first).person
    }
    #expect(try await person() == .none)
    bench.exchange.plan(
      .answer(
        status: 200,
        body: #"{"id":"7","role":"admin","email_verified":true,"created_at":5,"team":"a","x":1}"#
      )
    )
    _ = try await vault.profile(account: "me", prompt: nil, caller: caller())
    let first = try await person()
    #expect(first.role == "admin" && first.isEmailVerified == true && first.createdAt == 5)
    #expect(first.claims == ["team": "a", "x": 1])
    // An answer about tokens adds facts. The profile replaces all of them.
    bench.exchange.plan(.answer(status: 200, body: #"{"user":{"id":"7","team":"b"}}"#))
    _ = try await verify(vault)
    #expect(try await person().claims == ["team": "b", "x": 1])
    bench.exchange.plan(.answer(status: 200, body: #"{"id":"7","team":"c"}"#))
    _ = try await vault.profile(account: "me", prompt: nil, caller: caller())
    let last = try await person()
    #expect(last.claims == ["team": "c"] && last.role == "admin")
    // Another sign-in may be another person's, and an edited store has no trusted facts.
    try await bench.signIn(vault, refresh: "rt-2", access: "at-2")
    #expect(try await person() == .none)
    var row = try await vault.row()
    row.userFacts = "{\"role\":7"
    let edited = row
    try await vault.inspect { try $0.update(edited) }
    #expect(try await person() == .none)
  }

  /// Its provider may refuse a token that is not for itself, which says nothing about the token.
  @Test
  func aTokenForOneResourceIsSentToNoEndpoint() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let resource = "https://mcp.example.com/mcp"
    try await bench.signInOAuth(
      vault,
      settings: [
        "resource": resource, "resource_only": "true",
        "userinfo_endpoint": OpenProvider.issuer + "/me",
      ]
    )
    let sent = bench.exchange.requests.count
    for refusal in [
      await failure { _ = try await verify(vault) },
      await failure { _ = try await vault.profile(account: "me", prompt: nil, caller: caller()) },
    ] {
      guard case .misconfigured(let why)? = refusal else {
        Issue.record("\(String(describing: refusal))")
        continue
      }
      #expect(why.contains(resource), "\(why)")
    }
    #expect(bench.exchange.requests.count == sent)
    #expect(try await vault.token().accessToken == "at-1")
  }
}
