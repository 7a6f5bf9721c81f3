import Configuration
import Storage
import Synchronization
import System
import TestSupport
import Testing

@testable import TokenVault

/// The answer without a turn of the actor is always the same as the slow answer, or none.
@Suite(.timeLimit(.minutes(10)))
struct TokenCacheTests {
  /// Keeps the directory as long as the suite lives.
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func signedIn(lifetime: Int? = 3600) async throws -> (Bench, Vault) {
    let vault = try await bench.open()
    try await bench.signIn(vault, lifetime: lifetime)
    return (bench, vault)
  }

  private func atHand(_ vault: Vault, minimum: Int64? = nil) -> AccessGrant? {
    vault.cachedAccessToken(account: "me", minimumLifetime: minimum)?.grant
  }

  @Test
  func whatWasHandedOutIsAtHand() async throws {
    let (_, vault) = try await signedIn()
    #expect(atHand(vault) == nil)
    let grant = try await vault.token()
    #expect(atHand(vault) == grant)
    #expect(vault.cachedAccessToken(account: "other", minimumLifetime: nil) == nil)
    #expect(vault.cachedAccessToken(account: nil, minimumLifetime: nil) == nil)
    for wish in [-1, .min, Vault.longestWish + 1, .max] as [Int64] {
      #expect(atHand(vault, minimum: wish) == nil)
    }
  }

  @Test
  func whereNoFrontReadsFilesTheTokenIsAtHandAllTheSame() async throws {
    let vault = try await bench.open(keepsTokens: false)
    try await bench.signIn(vault)
    let grant = try await vault.token()
    #expect(grant.accessToken == "at-1" && atHand(vault) == grant)
    #expect(try Directory(path: bench.scratch.path).names().contains("tokens") == false)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token(rejected: "at-1").accessToken == "at-2")
    #expect(try await vault.token() == atHand(vault))
    bench.clock.advance(3591)
    #expect(atHand(vault) == nil)
  }

  @Test
  func itLivesAsLongAsIsWanted() async throws {
    let (bench, vault) = try await signedIn()
    _ = try await vault.token()
    bench.clock.advance(3000)
    #expect(atHand(vault, minimum: 600) != nil)
    #expect(atHand(vault, minimum: 601) == nil)
    bench.clock.advance(590)
    #expect(atHand(vault) != nil)
    bench.clock.advance(1)
    #expect(atHand(vault) == nil)
  }

  @Test
  func theBestThatAProviderGivesIsSaidToBeShort() async throws {
    let (bench, vault) = try await signedIn(lifetime: 600)
    let grant = try await vault.token(minimum: 3600)
    #expect(grant.isShorterThanRequested && atHand(vault, minimum: 3600) == grant)
    #expect(atHand(vault)?.isShorterThanRequested == false)
    bench.clock.advance(301)
    #expect(atHand(vault, minimum: 3600) == nil)
    #expect(atHand(vault) != nil)
  }

  @Test
  func aClockThatStandsBeforeTheTimeOfStoringTellsNothing() async throws {
    let (bench, vault) = try await signedIn()
    _ = try await vault.token()
    bench.clock.setWall(by: -10_000)
    #expect(atHand(vault) == nil)
  }

  @Test
  func theFileOfTheFrontIsLookedAfter() async throws {
    let (bench, vault) = try await signedIn()
    _ = try await vault.token()
    let file = bench.scratch.path + "/tokens/me"
    try run("/bin/rm", [file])
    #expect(atHand(vault) == nil)
    _ = try await vault.token()
    #expect(atHand(vault) != nil)
    try run("/bin/chmod", ["644", file])
    #expect(atHand(vault) == nil)
    _ = try await vault.token()
    // The front would not accept it.
    bench.clock.setWall(by: 100)
    #expect(atHand(vault) == nil)
    _ = try await vault.token()
    #expect(atHand(vault) != nil)
  }

  @Test
  func whateverChangesTakesItBack() async throws {
    let (bench, vault) = try await signedIn()
    func comesBack(_ change: () async throws -> Void) async throws {
      _ = try await vault.token()
      try #require(atHand(vault) != nil)
      try await change()
      #expect(atHand(vault) == nil)
    }
    try await comesBack { try await bench.protect(vault) }
    try await comesBack { try await bench.protect(vault, on: false) }
    try await comesBack {
      bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
      let new = try await vault.token(rejected: "at-1")
      #expect(new.accessToken == "at-2")
    }
    try await comesBack {
      _ = try await vault.rename(account: "me", to: "you", caller: caller())
      #expect(vault.cachedAccessToken(account: "you", minimumLifetime: nil) == nil)
      _ = try await vault.rename(account: "you", to: "me", caller: caller())
    }
    try await comesBack {
      _ = try await vault.signOut(account: "me", local: true, caller: caller())
    }
    #expect(await failure { _ = try await vault.token() } != nil)
    #expect(atHand(vault) == nil)
  }

  @Test
  func aChangeOfAnotherAccountLeavesIt() async throws {
    let (bench, vault) = try await signedIn()
    try await bench.signIn(vault, "other", refresh: "rt-o", access: "at-o")
    _ = try await vault.token()
    _ = try await vault.setDefault(account: "other", caller: caller())
    _ = try await vault.rename(account: "other", to: "another", caller: caller())
    _ = try await vault.signOut(account: "another", local: true, caller: caller())
    #expect(atHand(vault)?.accessToken == "at-1")
  }

  @Test
  func aNoteOfMissingScopesIsNotPassedOver() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signInOAuth(vault, scope: "write read")
    _ = try await vault.token()
    #expect(atHand(vault) != nil)
    bench.clock.advance(3600 - 60)
    bench.exchange.plan(oauthTokens("at-new", refresh: nil, scope: "read"))
    // The token is refreshed in advance, and no caller has got it yet.
    await vault.refreshAhead()
    #expect(atHand(vault) == nil)
    #expect(try await vault.token().missingScope == "write")
    #expect(try await vault.token().missingScope == nil)
    #expect(atHand(vault)?.accessToken == "at-new")
  }

  @Test
  func aStoreThatIsLostAnswersNothing() async throws {
    let (_, vault) = try await signedIn()
    _ = try await vault.token()
    vault.storeIsLost.store(true, ordering: .releasing)
    #expect(atHand(vault) == nil)
  }

  @Test
  func itsMessageIsMadeOnceAndGoesWithIt() async throws {
    let (bench, vault) = try await signedIn()
    _ = try await vault.token()
    var made = 0
    func message(_ minimum: Int64?) -> [UInt8]? {
      vault.cachedAccessToken(account: "me", minimumLifetime: minimum)?.message { grant in
        made += 1
        return Array("\(grant.accessToken) \(grant.isShorterThanRequested)".utf8)
      }
    }
    for _ in 0..<3 { #expect(message(nil) == Array("at-1 false".utf8)) }
    #expect(made == 1)
    #expect(message(7200) == Array("at-1 true".utf8))
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    _ = try await vault.token(rejected: "at-1")
    _ = try await vault.token()
    #expect(message(nil) == Array("at-2 false".utf8))
  }

  @Test
  func theRulesForSendingAreAtHandWithTheToken() async throws {
    let vault = try await bench.open()
    try await bench.signInOAuth(vault)
    var made = 0
    func atHand(_ account: String? = "me") -> [UInt8]? {
      vault.cachedTerms(account: account) { terms in
        made += 1
        return Array(terms.hosts.joined(separator: " ").utf8)
      }
    }
    // The cache has no token yet, and keeps no rules without one.
    _ = try await vault.requestTerms(account: "me", caller: caller())
    #expect(atHand() == nil)
    _ = try await vault.token()
    #expect(atHand() == nil)
    _ = try await vault.requestTerms(account: "me", caller: caller())
    for _ in 0..<3 { #expect(atHand() == []) }
    #expect(made == 1)
    #expect(atHand("other") == nil && atHand(nil) == nil)
    // The hosts of the account's provider change.
    let other = try oauthProvider(["api_hosts": "api.example.org"])
    let need = try await need {
      _ = try await vault.applyProvider(other, account: "me", prompt: nil, caller: caller())
    }
    try await bench.pass(need, vault, caller())
    _ = try await vault.applyProvider(other, account: "me", prompt: need.prompt, caller: caller())
    #expect(atHand() == nil)
    bench.exchange.plan(oauthTokens("at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
    _ = try await vault.token()
    _ = try await vault.requestTerms(account: "me", caller: caller())
    #expect(atHand() == Array("api.example.org".utf8))
    vault.storeIsLost.store(true, ordering: .releasing)
    #expect(atHand() == nil)
  }

  /// A call with a reason gets a record, and is only counted after the sixtieth.
  @Test
  func aStatedReasonIsRecordedOrCounted() async throws {
    let (bench, vault) = try await signedIn()
    _ = try await vault.token()
    func atHand() -> String? {
      vault.cachedAccessToken(account: "me", minimumLifetime: nil, isRecorded: true)?
        .grant.accessToken
    }
    func details() async throws -> [String] {
      try await vault.inspect { store in
        try store.audit(limit: 10_000).filter { $0.event == "access-token" }.compactMap(\.detail)
      }
    }
    for _ in 0..<60 {
      #expect(atHand() == nil)
      _ = try await vault.accessToken(
        account: "me",
        minimumLifetime: nil,
        rejected: nil,
        prompt: nil,
        reason: "deploy",
        caller: caller()
      )
    }
    #expect(try await details().count == 60)
    for _ in 0..<7 { #expect(atHand() == "at-1") }
    // Without a reason nothing is counted.
    #expect(self.atHand(vault)?.accessToken == "at-1")
    bench.clock.advance(60)
    try await vault.flushCounts()
    #expect(try await details().last == "7 times, with a reason")
    #expect(try await details().count == 61)
    // The sum was the only record that this minute allows.
    #expect(atHand() == "at-1")
    try await vault.flushCounts(isLast: true)
    #expect(try await details().last == "1 times, with a reason")
    bench.clock.advance(60)
    #expect(atHand() == nil)
  }
}
