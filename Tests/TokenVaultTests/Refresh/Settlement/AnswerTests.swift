import OAuth
import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// A provider's answers to a refresh, and the parts that the vault stores.
@Suite(.timeLimit(.minutes(10)))
struct AnswerTests {
  private func expired(_ bench: Bench) async throws -> Vault {
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.advance(3600)
    return vault
  }

  @Test
  func anAnswerWithoutARefreshTokenKeepsTheOldOne() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let before = try await vault.row()
    for (number, refresh) in [nil, ""].enumerated() {
      bench.exchange.plan(.tokens(access: "at-\(number)", refresh: refresh))
      #expect(try await vault.token().accessToken == "at-\(number)")
      bench.clock.advance(3600)
    }
    let after = try await vault.row()
    #expect(after.generation == before.generation)
    #expect(after.sealedRefreshToken == before.sealedRefreshToken)
    #expect(bench.exchange.refreshes == Array(repeating: #"{"refresh_token":"rt-1"}"#, count: 2))
  }

  @Test
  func theSameRefreshTokenIsNoRotation() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    let before = try await vault.row()
    let count = try await vault.boxChanges()
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-1"))
    _ = try await vault.token()
    bench.clock.advance(3600)
    bench.exchange.plan(.tokens(access: "at-3", refresh: "rt-1"))
    #expect(try await vault.token().accessToken == "at-3")
    #expect(bench.exchange.refreshes.last == #"{"refresh_token":"rt-1"}"#)
    let after = try await vault.row()
    #expect(after.generation == before.generation)
    #expect(after.sealedRefreshToken == before.sealedRefreshToken)
    #expect(try await vault.boxChanges() == count)
  }

  @Test(arguments: ["rt-", "rt-1 ", "RT-1", "rt-11"])
  func aTokenThatOnlyLooksLikeItIsARotation(_ token: String) async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    bench.exchange.plan(.tokens(access: "at-2", refresh: token))
    _ = try await vault.token()
    #expect(try await vault.row().generation == 2)
    #expect(try await vault.sentToken("me", bench) == #"{"refresh_token":"\#(token)"}"#)
  }

  private func isToldWhatIsWrong(_ vault: Vault) async {
    let found = await failure { _ = try await vault.token() }
    guard case .misconfigured? = found else {
      Issue.record("\(String(describing: found))")
      return
    }
  }

  @Test(
    arguments: [
      #"{"refresh_token":"rt-2"}"#,
      #"{"access_token":"","refresh_token":"rt-2"}"#,
      #"{"access_token":"a\u001bb","refresh_token":"rt-2","token_type":"bearer"}"#,
      #"{"access_token":"a b","refresh_token":"rt-2"}"#,
      #"{"access_token":"at-2","refresh_token":"rt-2","token_type":"mac"}"#,
    ]
  )
  func aRefreshTokenInAnAnswerOfNoOtherUseIsKept(_ body: String) async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    bench.exchange.plan(.answer(status: 200, body: body))
    await isToldWhatIsWrong(vault)
    #expect(try await vault.row().generation == 2)
    #expect(try await vault.intent() == nil)
    bench.exchange.plan(.tokens(access: "at-3", refresh: "rt-3"))
    #expect(try await vault.token().accessToken == "at-3")
    #expect(bench.exchange.refreshes.last == #"{"refresh_token":"rt-2"}"#)
  }

  @Test(
    arguments: [
      "", "null", "[]", "{", #"{"access_token":"at"#, "<html>", "\u{0}",
      String(repeating: "[", count: 5000), #"{"refresh_token":"a","refresh_token":"b"}"#,
    ]
  )
  func garbageIsAnAnswerThatWasLost(_ body: String) async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    bench.exchange.plan(.answer(status: 200, body: body))
    guard
      case .unavailable(.uncertain, _, retryAfter: 2, _)? = await failure({
        _ = try await vault.token()
      })
    else {
      Issue.record("taken for something")
      return
    }
    #expect(try await vault.stateOfMe().state == .uncertain)
  }

  /// A success may have replaced the refresh token, also if the settings find no token in it.
  @Test(arguments: [
    "{}", #"{"access_token":""}"#, #"{"access_token":"at-2","refresh_token":7}"#,
    #"{"token":{"access_token":"at-2","refresh_token":"rt-2"}}"#,
  ])
  func aSuccessInWhichNoTokenIsFoundIsAnAnswerThatWasLost(_ body: String) async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    bench.exchange.plan(.answer(status: 200, body: body))
    await isToldWhatIsWrong(vault)
    #expect(try await vault.stateOfMe().state == .uncertain)
    let sent = bench.exchange.refreshes.count
    #expect(await failure { _ = try await vault.token() } != nil)
    #expect(bench.exchange.refreshes.count == sent)
  }

  @Test
  func aRefusalThatSaysNothingIsAskedAgainAfterTenMinutes() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    bench.exchange.plan(.answer(status: 401, body: ""))
    guard
      case .unavailable(.refusedOnce, _, retryAfter: 600, _)? = await failure({
        _ = try await vault.token()
      })
    else {
      Issue.record("taken for something")
      return
    }
    #expect(try await vault.row().state == .signedIn)
    // An earlier call gets the time to wait, and no request is sent.
    bench.clock.advance(599)
    guard
      case .unavailable(.refusedOnce, _, retryAfter: 1, _)? = await failure({
        _ = try await vault.token()
      })
    else {
      Issue.record("not told to wait")
      return
    }
    #expect(bench.exchange.refreshes.count == 1)
    bench.clock.advance(1)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
  }

  @Test(arguments: ["", "<html>", "nope"])
  func whereTheProviderIsSaidToRefuseSoItIsARefusal(_ body: String) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault, settings: ["empty_refusal": "true"])
    bench.clock.advance(3600)
    bench.exchange.plan(.answer(status: 403, body: body))
    guard case .loginRequired? = await failure({ _ = try await vault.token() }) else {
      Issue.record("no login was required")
      return
    }
    #expect(try await vault.row().sealedRefreshToken != nil)
  }

  @Test(arguments: ["invalid_client", "invalid_scope", "unauthorized_client"])
  func anotherErrorIsTheConfigurationAndTheTokenIsKept(_ error: String) async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    bench.exchange.plan(.answer(status: 400, body: #"{"error":"\#(error)"}"#))
    guard case .misconfigured? = await failure({ _ = try await vault.token() }) else {
      Issue.record("taken for something else")
      return
    }
    #expect(try await vault.row().state == .signedIn)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
    #expect(bench.exchange.refreshes.last == #"{"refresh_token":"rt-1"}"#)
  }

  @Test
  func aTokenThatLivesShorterThanAskedForIsHandedOutWithAFlag() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    for lifetime in [5, 30] {
      bench.exchange.plan(.tokens(access: "short-\(lifetime)", refresh: "rt", lifetime: lifetime))
      let grant = try await vault.token(minimum: 60)
      #expect(grant.accessToken == "short-\(lifetime)")
      #expect(grant.isShorterThanRequested)
      #expect(grant.expiresAt == bench.clock.wall.seconds + Int64(lifetime))
      bench.clock.advance(Int64(lifetime))
    }
  }

  @Test
  func aTokenWithoutALifetimeIsHandedOutWithoutOne() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2", lifetime: nil))
    #expect(try await vault.token().expiresAt == nil)
    bench.clock.advance(289)
    #expect(try await vault.token().accessToken == "at-2")
    bench.clock.advance(2)
    bench.exchange.plan(.tokens(access: "at-3", refresh: "rt-3", lifetime: nil))
    #expect(try await vault.token().accessToken == "at-3")
  }

  @Test
  func aVerdictOnAnOlderTokenSaysNothingAboutANewerOne() async throws {
    let bench = try Bench()
    let vault = try await expired(bench)
    bench.exchange.plan(.died)
    _ = await failure { _ = try await vault.token() }
    // According to the store's record, the sent token is not the stored one.
    try await vault.changeGeneration(ofIntentBy: -1)
    let image = try await vault.sealedAnswer(status: 400, body: #"{"error":"invalid_grant"}"#)
    try await vault.writeSlot("me", image)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
    #expect(try await vault.row().state == .signedIn)
  }
}

extension Vault {
  fileprivate func changeGeneration(ofIntentBy change: Int64) throws {
    var intent = try #require(try store.intent(account: try row().id))
    intent.generation += change
    let changed = intent
    try store.transaction { try store.put(changed) }
  }
}
