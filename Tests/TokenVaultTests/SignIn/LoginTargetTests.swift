import Configuration
import SecretMemory
import Storage
import System
import Testing

@testable import TokenVault

/// A sign-in is for the account that it was begun for, even if another account has its name at the
/// end.
@Suite(.timeLimit(.minutes(10)))
struct LoginTargetTests {
  private func signedIn() async throws -> (Bench, Vault) {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.openSignIn(vault)
    return (bench, vault)
  }

  private func finish(
    _ start: LoginStart,
    _ bench: Bench,
    _ vault: Vault
  ) async throws -> AccountFacts {
    let url = try #require(start.url)
    let token = try OpenProvider.idToken(nonce: parameter("nonce", of: url), at: bench.clock)
    bench.exchange.plan(
      .answer(
        status: 200,
        body: OpenProvider.tokens(access: "at-2", refresh: "rt-2", idToken: token)
      )
    )
    return try await vault.finishLogin(start.login, query: answer(to: url), caller: caller())
  }

  /// Expects that the sign-in is refused, and that its code is not sent.
  private func expectRefusal(_ start: LoginStart, _ bench: Bench, _ vault: Vault) async throws {
    let requests = bench.exchange.requests.count
    let refusal = await failure { _ = try await finish(start, bench, vault) }
    guard case .refused? = refusal else {
      Issue.record("tokens were taken for another account: \(String(describing: refusal))")
      return
    }
    #expect(bench.exchange.requests.count == requests)
  }

  @Test(arguments: [false, true])
  func anAccountThatWasRemovedIsNotMadeAgain(_ isMadeAnew: Bool) async throws {
    let (bench, vault) = try await signedIn()
    let start = try await bench.begin(vault)
    _ = try await vault.remove(account: "me", local: true, caller: caller())
    if isMadeAnew { try await bench.signIn(vault, refresh: "rt-9", access: "at-9") }
    try await expectRefusal(start, bench, vault)
    #expect(try await vault.accountFacts(named: nil).map(\.name) == (isMadeAnew ? ["me"] : []))
    guard isMadeAnew else { return }
    #expect(try await vault.token().accessToken == "at-9")
    #expect(try await vault.row().generation == 1)
  }

  @Test
  func anAccountThatIsCalledOtherwiseByNowGetsItsTokens() async throws {
    let (bench, vault) = try await signedIn()
    let identifier = try await vault.row().id
    let start = try await bench.begin(vault)
    _ = try await vault.rename(account: "me", to: "you", caller: caller())
    bench.exchange.plan(.tokens(access: "at-9", refresh: "rt-9"))
    _ = try await vault.signIn(
      account: "me",
      provider: try provider(),
      email: "me@example.org",
      password: shared("hunter2"),
      registering: false,
      displayName: nil,
      caller: caller()
    )
    #expect(try await finish(start, bench, vault).name == "you")
    #expect(try await vault.row("you").id == identifier)
    #expect(try await vault.row("you").generation == 2)
    #expect(try await vault.token("you").accessToken == "at-2")
    #expect(try await vault.token("me").accessToken == "at-9")
  }

  @Test
  func anAccountThatWasMadeDuringTheMoveKeepsItsTokens() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try bench.planDiscovery()
    let start = try await bench.begin(vault)
    try await bench.signIn(vault, refresh: "rt-9", access: "at-9")
    try await expectRefusal(start, bench, vault)
    #expect(try await vault.token().accessToken == "at-9")
  }

  @Test
  func ofTwoDeviceLoginsForOneNewNameTheFirstIsMade() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try bench.planDiscovery()
    var logins: [LoginStart] = []
    for code in ["dc-1", "dc-2"] {
      bench.exchange.plan(
        .answer(
          status: 200,
          body: #"{"device_code":"\#(code)","user_code":"A-B","verification_uri":"#
            + #""https://id.example.com/d","expires_in":600,"interval":5}"#
        )
      )
      logins.append(try await bench.begin(vault, .device))
    }
    let pending = ScriptedExchange.Step.answer(
      status: 400,
      body: #"{"error":"authorization_pending"}"#
    )
    let token = try OpenProvider.idToken(nonce: nil, at: bench.clock)
    // Both ask while neither has an answer. The temporary account of one is no account to the
    // other.
    bench.exchange.plan(pending, pending)
    let (first, second) = (logins[0].login, logins[1].login)
    let waits = [first, second].map { name in
      Task { try await vault.awaitLogin(name, caller: caller()) { _ in } }
    }
    await bench.clock.untilAsleep(milliseconds: 5000, count: 2)
    bench.clock.advance(5)
    await bench.clock.untilAsleep(milliseconds: 5000, count: 2)
    bench.exchange.plan(.answer(status: 200, body: OpenProvider.tokens(idToken: token)))
    bench.clock.advance(5)
    var results: [Result<AccountFacts, any Error>] = []
    for wait in waits { results.append(await wait.result) }
    let facts = results.compactMap { try? $0.get() }
    #expect(facts.map(\.name) == ["me"])
    for case .failure(let error) in results {
      guard case .refused? = error as? VaultFailure else {
        Issue.record("the second has: \(error)")
        return
      }
    }
    #expect(bench.exchange.requests.count == 2 + 2 + 3)
    #expect(try await vault.row().generation == 1)
  }
}
