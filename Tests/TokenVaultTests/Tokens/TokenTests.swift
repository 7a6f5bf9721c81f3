import Presence
import Storage
import System
import Testing
import TokenFile

@testable import TokenVault

/// Lifetimes, clocks, rejected tokens, and the files that the front reads.
@Suite(.timeLimit(.minutes(10)))
struct TokenTests {
  private let year: Int64 = 366 * 24 * 3600

  @Test
  func aTokenIsHandedOutWhileItLivesAsLongAsWanted() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.advance(3590)
    let grant = try await vault.token()
    #expect(grant.accessToken == "at-1" && !grant.isShorterThanRequested)
    #expect(bench.exchange.refreshes.isEmpty)
    bench.clock.advance(1)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
  }

  @Test
  func aLongerLifetimeIsAskedOfTheProvider() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.advance(600)
    #expect(try await vault.token(minimum: 3000).accessToken == "at-1")
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    let grant = try await vault.token(minimum: 3001)
    #expect(grant.accessToken == "at-2" && !grant.isShorterThanRequested)
  }

  @Test
  func aProviderThatNeverGivesAsMuchIsNotAskedEachTime() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault, lifetime: 600)
    for _ in 0..<5 {
      let grant = try await vault.token(minimum: 3600)
      #expect(grant.accessToken == "at-1" && grant.isShorterThanRequested)
    }
    #expect(bench.exchange.refreshes.isEmpty)
    bench.clock.advance(301)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2", lifetime: 600))
    let grant = try await vault.token(minimum: 3600)
    #expect(grant.accessToken == "at-2" && grant.isShorterThanRequested)
  }

  @Test(arguments: [-1, Int64.min, 366 * 24 * 3600 + 1, .max] as [Int64])
  func aLifetimeThatMakesNoSenseIsRefused(_ seconds: Int64) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    guard
      case .invalidArgument? = await failure({
        _ = try await vault.token(minimum: seconds)
      })
    else {
      Issue.record("taken")
      return
    }
  }

  @Test
  func aLifetimeOfTenYearsOverflowsNothing() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    bench.exchange.plan(
      .answer(
        status: 200,
        body: #"{"access_token":"a","refresh_token":"r","expires_in":9223372036854775807}"#
      )
    )
    _ = try await vault.signIn(
      account: "me",
      provider: try provider(),
      email: "me@example.org",
      password: shared("hunter2"),
      registering: false,
      displayName: nil,
      caller: caller()
    )
    #expect(try await vault.token(minimum: year).accessToken == "a")
  }

  @Test
  func aRejectedTokenIsReplacedAndANewerOneIsNot() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    // An older token rejects nothing.
    #expect(try await vault.token(rejected: "at-0").accessToken == "at-1")
    #expect(try await vault.cachedToken() == "at-1")
    let observed = Box<String>()
    bench.exchange.observe { stage in
      if stage == "begun" { observed.put((try? bench.tokenFile()) ?? "none") }
    }
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token(rejected: "at-1").accessToken == "at-2")
    // The front must not find it while the new one is being fetched.
    #expect(observed.value == "none")
    #expect(try await vault.token(rejected: "at-1").accessToken == "at-2")
    #expect(bench.exchange.refreshes.count == 1)
    #expect(try await vault.events().contains("token-rejected done"))
  }

  @Test
  func aClockSetForwardCostsARefreshAndNothingElse() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.setWall(by: year)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
    #expect(try await vault.token().accessToken == "at-2")
    // Set back again: the clock is before the time of storing, so the token's age is unknown.
    bench.clock.setWall(by: -year)
    bench.exchange.plan(.tokens(access: "at-3", refresh: "rt-3"))
    #expect(try await vault.token().accessToken == "at-3")
    #expect(try await vault.token().accessToken == "at-3")
    #expect(bench.exchange.refreshes.count == 2)
  }

  @Test
  func aClockSetBackBringsNoExpiredTokenOut() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.advance(7200)
    bench.clock.setWall(by: -year)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
  }

  @Test
  func neitherClockOpensAWindowAgain() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    try await bench.unlock(vault, seconds: 60)
    bench.clock.advance(61)
    for shift in [-year, 2 * year] {
      bench.clock.setWall(by: shift)
      #expect(try await vault.facts().unlockedFor == nil)
    }
  }

  @Test
  func theFrontFindsWhatIsTrueAndNothingAfterASignOut() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    #expect(try await vault.cachedToken() == "at-1")
    #expect(try await vault.defaultAccount() == "me")
    let file = try await vault.tokenFile()
    #expect(file?.wallExpiry.seconds == bench.clock.wall.seconds + 3600)
    #expect(file?.bootExpiry == bench.clock.boot.advanced(bySeconds: 3600))
    #expect(file?.boot == bench.clock.bootIdentifier)
    try await bench.signIn(vault, "other", access: "at-other")
    #expect(try await vault.defaultAccount() == nil)
    // A removed file is written again, and a wrong one is stamped again.
    try await vault.removeTokenFile(of: "me")
    _ = try await vault.token()
    #expect(try await vault.cachedToken() == "at-1")
    bench.clock.setWall(by: 100)
    _ = try await vault.token()
    #expect(try await vault.tokenFile()?.bootExpiry == bench.clock.boot.advanced(bySeconds: 3500))
    bench.exchange.plan(.answer(status: 204, body: ""))
    _ = try await vault.signOut(account: "me", local: false, caller: caller())
    #expect(try await vault.cachedToken() == nil)
    #expect(try await vault.cachedToken("other") == "at-other")
  }

  @Test
  func aNamedAccountIsNeededWhereThereAreSeveral() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    #expect(await failure { _ = try await vault.token(nil) } != nil)
    try await bench.signIn(vault)
    #expect(try await vault.token(nil).account == "me")
    try await bench.signIn(vault, "other")
    #expect(await failure { _ = try await vault.token(nil) } != nil)
    let hostile = [
      "", ".", "..", "a/b", "@", "-x", "A", "a\nb", "a\0", String(repeating: "a", count: 10_000),
      "\u{202e}", "me ", "ｍe",
    ]
    for name in hostile {
      #expect(await failure { _ = try await vault.token(name) } != nil)
    }
  }
}

extension Bench {
  /// The token that the front would find.
  fileprivate func tokenFile() throws -> String? {
    try scratch.files()["tokens/me"].flatMap {
      String(validating: $0.dropFirst(CachedToken.headerCount), as: UTF8.self)
    }
  }
}

extension Vault {
  fileprivate func tokenFile(_ name: String = "me") throws -> CachedToken? {
    try TokenFiles.read(account: name, in: directory)
  }

  fileprivate func defaultAccount() throws -> String? {
    try TokenFiles.defaultAccount(in: directory)
  }
}
