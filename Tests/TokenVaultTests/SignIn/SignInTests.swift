import OAuth
import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// Sign-in, registration and sign-out, also when they are interrupted.
@Suite(.timeLimit(.minutes(10)))
struct SignInTests {
  func sign(
    _ vault: Vault,
    _ name: String = "me",
    registering: Bool = false,
    email: String = "me@example.org",
    password: String = "hunter2",
    settings: [String: String]? = [:]
  ) async throws -> AccountFacts {
    try await vault.signIn(
      account: name,
      provider: try settings.map { try provider($0) },
      email: email,
      password: shared(password),
      registering: registering,
      displayName: registering ? "Me" : nil,
      caller: caller()
    )
  }

  @Test
  func aLoginMakesAnAccount() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let facts = try await bench.signIn(vault)
    #expect(facts.name == "me" && facts.state == .ready && !facts.isProtected && facts.isDefault)
    #expect(facts.subject == "u-1" && facts.email == "me@example.org" && facts.displayName == "Me")
    #expect(facts.issuer == "https://id.example.com" && facts.provider == "dev")
    #expect(
      bench.exchange.requests.first?.body
        == #"{"email":"me@example.org","password":"hunter2"}"#
    )
    #expect(try await vault.intent() == nil)
    #expect(try await vault.events() == ["login begun", "login done"])
  }

  @Test
  func aLoginIntoAnAccountReplacesItsTokenAndKeepsItsProtection() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    try await bench.signIn(vault, refresh: "rt-2", access: "at-2")
    let row = try await vault.row()
    #expect(row.generation == 2 && row.protection == 1)
    #expect(try await vault.token().accessToken == "at-2")
    bench.clock.advance(3600)
    let need = try await need { _ = try await vault.token() }
    try await bench.pass(need, vault, caller())
    bench.exchange.plan(.tokens(access: "at-3", refresh: "rt-3"))
    _ = try await vault.token(prompt: need.prompt)
    #expect(bench.exchange.refreshes == [#"{"refresh_token":"rt-2"}"#])
  }

  @Test
  func aLoginElsewhereLeavesNothingOfTheOneBefore() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let elsewhere = ["issuer": "https://elsewhere.example.com"]
    for (number, step) in [
      ScriptedExchange.Step.tokens(access: "at-x", refresh: "rt-x", lifetime: 0),
      .answer(status: 200, body: #"{"refresh_token":"rt-x"}"#),
    ].enumerated() {
      let name = "me\(number)"
      try await bench.signIn(vault, name)
      #expect(try await vault.cachedToken(name) == "at-1")
      bench.exchange.plan(step)
      _ = await failure { _ = try await sign(vault, name, settings: elsewhere) }
      #expect(try await vault.cachedToken(name) == nil)
      bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
      #expect(try await vault.token(name).accessToken == "at-2")
      #expect(bench.exchange.requests.last?.url == "https://elsewhere.example.com/auth/refresh")
      #expect(bench.exchange.requests.last?.body == #"{"refresh_token":"rt-x"}"#)
    }
  }

  @Test
  func theProviderStaysTheOneOfTheLogin() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    _ = try await sign(vault, settings: nil)
    #expect(
      bench.exchange.requests.suffix(2).map(\.url) == [
        "https://id.example.com/auth/login", "https://id.example.com/auth/logout",
      ]
    )
    #expect(await failure { _ = try await sign(vault, "new", settings: nil) } != nil)
  }

  @Test(
    arguments: [
      ScriptedExchange.Step.answer(status: 401, body: #"{"detail":"wrong password"}"#),
      .answer(status: 409, body: #"{"error":"exists"}"#), .answer(status: 500, body: ""),
      .answer(status: 429, retryAfter: 9, body: ""), .answer(status: 404, body: ""),
      .answer(status: 200, body: #"{"access_token":"a"}"#), .answer(status: 200, body: "{"),
      .nothingSent, .notStarted("gone"), .died, .torn,
    ]
  )
  func aFailedLoginLeavesNothing(_ step: ScriptedExchange.Step) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    for registering in [false, true] {
      bench.exchange.plan(step)
      #expect(await failure { _ = try await sign(vault, registering: registering) } != nil)
      #expect(try await vault.accountFacts(named: nil).isEmpty)
      #expect(try bench.scratch.files().keys.filter { $0.contains("/") } == [])
    }
    #expect(await vault.holdsNothing)
  }

  @Test
  func aFailedLoginKeepsAnExistingAccount() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    let before = try await vault.row()
    bench.exchange.plan(.answer(status: 401, body: "{}"))
    #expect(await failure { _ = try await sign(vault) } != nil)
    #expect(try await vault.row() == before)
    #expect(try await vault.cachedToken() == "at-1")
  }

  @Test
  func whatCannotBeSentLeavesNothing() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    for (email, password) in [
      ("", "x"), ("a\nb", "x"), (String(repeating: "a", count: 400), "x"), ("a@b", ""),
    ] {
      guard
        case .invalidArgument? = await failure({
          _ = try await sign(vault, email: email, password: password)
        })
      else {
        Issue.record("sent")
        continue
      }
    }
    #expect(try await vault.accountFacts(named: nil).isEmpty)
    #expect(bench.exchange.requests.isEmpty)
  }

  @Test
  func twoLoginsOfANewNameOfWhichTheFirstIsRefused() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    bench.exchange.hold()
    let first = Task { await failure { _ = try await sign(vault, password: "wrong") } }
    await bench.exchange.untilRequested(1)
    let second = Task { try await sign(vault) }
    while await !vault.hasQueue { await Task.yield() }
    bench.exchange.plan(.answer(status: 401, body: #"{"detail":"no"}"#))
    bench.exchange.plan(.tokens(access: "at-1", refresh: "rt-1"))
    #expect(
      await first.value
        == .providerRefused(status: 401, "no", RefusalDetails(reason: .wrongCredentials))
    )
    #expect(try await second.value.state == .ready)
  }

  @Test
  func whoWaitedForAnAccountThatIsGoneIsToldSo() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    bench.exchange.hold()
    let first = Task { await failure { _ = try await sign(vault) } }
    await bench.exchange.untilRequested(1)
    let second = Task {
      await failure { _ = try await vault.signOut(account: "me", local: true, caller: caller()) }
    }
    while await !vault.hasQueue { await Task.yield() }
    bench.exchange.plan(.answer(status: 401, body: "{}"))
    _ = await first.value
    guard case .noSuchAccount? = await second.value else {
      Issue.record("told something else")
      return
    }
  }

  @Test
  func aSignOutErasesAndTellsTheProvider() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault, refresh: "rt-secret", access: "at-plain")
    let box = try #require(try await vault.row().sealedRefreshToken)
    bench.exchange.plan(.answer(status: 204, body: ""))
    #expect(try await vault.signOut(account: "me", local: false, caller: caller()).revoked)
    let request = try #require(bench.exchange.requests.last)
    #expect(request.url == "https://id.example.com/auth/logout")
    #expect(request.body == #"{"refresh_token":"rt-secret"}"#)
    #expect(request.headers.contains("Authorization: Bearer at-plain"))
    let row = try await vault.row()
    #expect(row.state == .signedOut && row.sealedRefreshToken == nil)
    let files = try bench.scratch.files()
    #expect(!files.values.contains { holds($0, Array(box.suffix(48))) })
    #expect(locations(of: "at-plain", in: files).isEmpty)
    #expect(files["vault.db-wal"]?.isEmpty ?? true)
    guard case .loginRequired? = await failure({ _ = try await vault.token() }) else {
      Issue.record("a token without an account")
      return
    }
    #expect(try await vault.events().last == "logout done")
  }

  @Test(
    arguments: [
      ScriptedExchange.Step.answer(status: 500, body: ""), .notStarted("gone"), .died,
      .answer(status: 404, body: ""),
    ]
  )
  func aSignOutErasesWhateverTheProviderSays(_ step: ScriptedExchange.Step) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.exchange.plan(step)
    let answer = try await vault.signOut(account: "me", local: false, caller: caller())
    #expect(!answer.revoked && answer.reason != nil)
    #expect(try await vault.row().sealedRefreshToken == nil)
  }

  @Test
  func aSignOutWaitsForTheRefreshThatIsOnItsWay() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.advance(3600)
    bench.exchange.hold()
    let token = Task { try await vault.token() }
    await bench.exchange.untilRequested(2)
    let out = Task { try await vault.signOut(account: "me", local: true, caller: caller()) }
    while await !vault.hasQueue { await Task.yield() }
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    _ = try await token.value
    _ = try await out.value
    let row = try await vault.row()
    #expect(row.state == .signedOut && row.sealedRefreshToken == nil)
    #expect(try await vault.cachedToken() == nil)
    #expect(try await vault.intent() == nil)
  }

  @Test
  func protectionTurnedOnWhileARefreshWaitedIsHonoured() async throws {
    let bench = try Bench()
    // The window that protection opens is at the location of the caller that turned it on.
    let locations = ScriptedPlaces()
    locations.seat(1, at: "session 1")
    locations.seat(2, at: "session 2")
    let vault = try await bench.open(locations: locations)
    try await bench.signIn(vault)
    let need = try await need {
      _ = try await vault.setProtection(true, account: "me", prompt: nil, caller: caller())
    }
    try await bench.pass(need, vault, caller())
    bench.clock.advance(20)
    bench.exchange.hold()
    // A sign-in holds the account. Behind it wait protection, and a refresh that was admitted
    // without a proof.
    let login = Task { await failure { _ = try await sign(vault) } }
    await bench.exchange.untilRequested(2)
    let on = Task {
      try await vault.setProtection(true, account: "me", prompt: need.prompt, caller: caller())
    }
    while await vault.queueLength < 1 { await Task.yield() }
    let token = Task {
      await failure { _ = try await vault.token(minimum: 3600, caller: caller(2)) }
    }
    while await vault.queueLength < 2 { await Task.yield() }
    bench.exchange.plan(.answer(status: 401, body: "{}"))
    _ = await login.value
    #expect(try await on.value.isProtected)
    guard case .presenceNeeded? = await token.value else {
      Issue.record("refreshed without a proof")
      return
    }
    #expect(bench.exchange.refreshes.isEmpty)
  }
}

extension Vault {
  fileprivate var hasQueue: Bool { queueLength > 0 }
  fileprivate var queueLength: Int { refreshes.waiting.values.map(\.count).max() ?? 0 }
}
