import Storage
import TestSupport
import Testing

@testable import TokenVault

/// Refresh tokens that a sign-in discards or replaces.
///
/// None stays alive at the provider without a message.
@Suite(.timeLimit(.minutes(10)))
struct DiscardedTokenTests {
  static let revoked = ScriptedExchange.Step.answer(status: 200, body: "")

  /// The tokens that were revoked.
  func revocations(_ bench: Bench) -> [String] {
    bench.exchange.requests.filter { $0.url.hasSuffix("/revoke") }
      .compactMap { $0.body.flatMap { parameter("token", of: "?" + $0) } }
  }

  /// A sign-in in a browser whose answer has this ID token, or another fault.
  func login(
    _ bench: Bench,
    _ vault: Vault,
    refresh: String = "rt-1",
    claims: [String: String] = [:],
    hasIDToken: Bool = true,
    discovers: Bool = true,
    settings: [String: String] = [:],
    then: ScriptedExchange.Step...
  ) async throws -> AccountFacts {
    if discovers { try bench.planDiscovery() }
    let start = try await bench.begin(vault, settings: settings)
    let url = try #require(start.url)
    let token = try OpenProvider.idToken(
      nonce: parameter("nonce", of: url),
      at: bench.clock,
      claims: claims
    )
    bench.exchange.plan(
      .answer(
        status: 200,
        body: OpenProvider.tokens(refresh: refresh, idToken: hasIDToken ? token : nil)
      )
    )
    for step in then { bench.exchange.plan(step) }
    return try await vault.finishLogin(start.login, query: answer(to: url), caller: caller())
  }

  private func message(_ failure: VaultFailure?) -> String {
    if case .misconfigured(let why) = failure { why } else { "\(String(describing: failure))" }
  }

  @Test(arguments: [
    ["nonce": #""another""#], ["aud": #""somebody else""#], ["iss": #""https://evil.example""#],
  ])
  func aTokenWhoseIDTokenIsRefusedIsRevokedAndThatIsSaid(_ claims: [String: String]) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let refusal = await failure {
      _ = try await login(bench, vault, claims: claims, then: Self.revoked)
    }
    #expect(message(refusal).contains("was revoked"), "\(message(refusal))")
    #expect(revocations(bench) == ["rt-1"])
    #expect(await vault.signIns.discarded.isEmpty)
  }

  @Test
  func oneThatCameWithoutAnIDTokenIsRevokedAsWell() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let refusal = await failure {
      _ = try await login(bench, vault, hasIDToken: false, then: Self.revoked)
    }
    #expect(message(refusal).contains("was revoked"), "\(message(refusal))")
    #expect(revocations(bench) == ["rt-1"])
  }

  @Test(arguments: [
    (ScriptedExchange.Step.answer(status: 401, body: ""), "stays valid", "answered 401"),
    (.notStarted("refused"), "stays valid", "is not answering"),
    (.died, "may stay valid", "no complete answer"),
  ])
  func whatWasNotRevokedIsSaidToStayValid(
    _ step: ScriptedExchange.Step,
    _ state: String,
    _ reason: String
  ) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let refusal = await failure {
      _ = try await login(bench, vault, claims: ["aud": #""x""#], then: step)
    }
    #expect(message(refusal).contains("came with it \(state)"), "\(message(refusal))")
    #expect(message(refusal).contains(reason), "\(message(refusal))")
    // One attempt is enough: it is best effort.
    #expect(revocations(bench) == ["rt-1"])
  }

  @Test
  func aFailedLoginKeepsThePreviousOne() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    _ = try await login(bench, vault)
    let refusal = await failure {
      _ = try await login(
        bench,
        vault,
        refresh: "rt-2",
        claims: ["aud": #""x""#],
        discovers: false,
        then: Self.revoked
      )
    }
    #expect(message(refusal).contains("was revoked"))
    #expect(revocations(bench) == ["rt-2"])
    #expect(try await vault.row().state == .signedIn)
    bench.clock.advance(7200)
    bench.exchange.plan(.nothingSent)
    _ = try? await vault.token()
    #expect(bench.forms.last?["refresh_token"] == "rt-1")
  }

  @Test
  func theLoginThatIsReplacedEndsAtTheProvider() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    #expect(try await login(bench, vault).replaced == nil)
    let facts = try await login(bench, vault, refresh: "rt-2", discovers: false, then: Self.revoked)
    #expect(facts.replaced == Revocation(.ended))
    #expect(revocations(bench) == ["rt-1"])
    #expect(await vault.signIns.discarded.isEmpty)
    // Only the caller that signed in is told.
    #expect(try await vault.stateOfMe().replaced == nil)
  }

  @Test
  func aProviderThatGivesTheSameTokenAgainKeepsIt() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    _ = try await login(bench, vault)
    #expect(try await login(bench, vault, discovers: false).replaced == nil)
    #expect(revocations(bench).isEmpty)
  }

  /// At some providers a revocation ends every login of the person by this client, including the
  /// new one.
  @Test(arguments: [true, false])
  func whereARevocationWouldEndTheNewLoginTheOldOneStaysUnlessItIsAnothersOwn(
    _ isSamePerson: Bool
  ) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let settings = ["revocation_ends": "all-logins"]
    _ = try await login(bench, vault, settings: settings)
    let facts = try await login(
      bench,
      vault,
      refresh: "rt-2",
      claims: ["sub": isSamePerson ? #""s-1""# : #""s-2""#],
      discovers: false,
      settings: settings,
      then: Self.revoked
    )
    #expect(facts.replaced?.revoked == !isSamePerson)
    #expect(revocations(bench) == (isSamePerson ? [] : ["rt-1"]))
    #expect(await vault.signIns.discarded.isEmpty)
    guard isSamePerson else { return }
    #expect(facts.replaced?.reason?.contains("all-logins") == true)
  }

  /// The person of a refused answer is not known, so it may be the one whose login is kept.
  @Test
  func whereARevocationWouldEndTheKeptLoginARefusedTokenStays() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let settings = ["revocation_ends": "all-logins"]
    _ = try await login(bench, vault, settings: settings)
    let refusal = await failure {
      _ = try await login(
        bench,
        vault,
        refresh: "rt-2",
        claims: ["aud": #""x""#],
        discovers: false,
        settings: settings
      )
    }
    #expect(message(refusal).contains("stays valid"), "\(message(refusal))")
    #expect(message(refusal).contains("all-logins"), "\(message(refusal))")
    #expect(revocations(bench).isEmpty)
  }

  @Test
  func aProtectedTokenIsNotOpenedForThatWithoutACheck() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    _ = try await login(bench, vault)
    try await bench.protect(vault)
    let facts = try await login(bench, vault, refresh: "rt-2", discovers: false)
    #expect(facts.replaced?.revoked == false)
    #expect(facts.replaced?.reason?.contains("presence check") == true)
    #expect(revocations(bench).isEmpty)
    // Under an open window it is opened.
    try await bench.unlock(vault)
    let later = try await login(bench, vault, refresh: "rt-3", discovers: false, then: Self.revoked)
    #expect(later.replaced == Revocation(.ended))
    #expect(revocations(bench) == ["rt-2"])
  }

  @Test
  func aTokenOfADeadGrantIsNeverSentAgain() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    _ = try await login(bench, vault)
    bench.clock.advance(599)
    bench.exchange.plan(.answer(status: 400, body: #"{"error":"invalid_grant"}"#))
    _ = await failure { _ = try await vault.token(rejected: "at-1") }
    #expect(try await vault.row().state == .loginRequired)
    let facts = try await login(bench, vault, refresh: "rt-2", discovers: false)
    #expect(facts.replaced == nil)
    #expect(revocations(bench).isEmpty)
  }

  /// The answer to a sign-in waits for newer keys, and another sign-in replaces it.
  @Test(arguments: [false, true])
  func aLoginThatWasGivenUpIsRevokedUnlessTheProviderIsNotToBeTold(_ isLocal: Bool) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    _ = try await login(bench, vault, refresh: "rt-0")
    let start = try await bench.begin(vault)
    let url = try #require(start.url)
    let token = try OpenProvider.idToken(
      nonce: parameter("nonce", of: url),
      at: bench.clock,
      kid: "k2",
      .otherP256
    )
    bench.exchange.plan(
      .answer(status: 200, body: OpenProvider.tokens(refresh: "rt-1", idToken: token)),
      .answer(status: 503, retryAfter: 60, body: "")
    )
    _ = await failure {
      _ = try await vault.finishLogin(start.login, query: answer(to: url), caller: caller())
    }
    #expect(revocations(bench).isEmpty)
    bench.exchange.plan(Self.revoked, Self.revoked)
    _ = try await vault.signOut(account: "me", local: isLocal, caller: caller())
    // Its own token, and the one of the abandoned sign-in.
    #expect(Set(revocations(bench)) == (isLocal ? [] : ["rt-0", "rt-1"]))
    #expect(await vault.signIns.discarded.isEmpty)
  }

  @Test
  func aPasswordBackendIsToldByItsLogout() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"), Self.revoked)
    let facts = try await vault.signIn(
      account: "me",
      provider: try provider(),
      email: "me@example.org",
      password: shared("hunter2"),
      registering: false,
      displayName: nil,
      caller: caller()
    )
    #expect(facts.replaced == Revocation(.ended))
    let last = try #require(bench.exchange.requests.last)
    #expect(last.url.hasSuffix("/auth/logout") && last.body == #"{"refresh_token":"rt-1"}"#)
  }

  /// The old token is never sent again.
  ///
  /// A newer one, whose answer was lost, may still be valid.
  @Test
  func aLoginWhoseAnswerWasLostIsSaidToBeLeft() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    _ = try await login(bench, vault)
    bench.clock.advance(599)
    bench.exchange.plan(.died)
    _ = await failure { _ = try await vault.token(rejected: "at-1") }
    bench.clock.advance(2)
    bench.exchange.plan(.answer(status: 400, body: #"{"error":"invalid_grant"}"#))
    _ = await failure { _ = try await vault.token() }
    #expect(try await vault.row().cause == "answer lost")
    let facts = try await login(bench, vault, refresh: "rt-2", discovers: false)
    #expect(facts.replaced == Revocation(.unknown, "answer lost"))
    #expect(revocations(bench).isEmpty)
  }
}
