import Configuration
import OAuth
import Presence
import PresenceTerms
import SecretMemory
import Storage
import System
import Testing

@testable import TokenVault

/// Logins that are taken over from other programs.
@Suite(.timeLimit(.minutes(10)))
struct ImportedLoginTests {
  let bench: Bench

  init() throws { bench = try Bench() }

  func take(
    _ vault: Vault,
    _ token: String = "old",
    as name: String = "me",
    settings: [String: String] = [:],
    prompt: String? = nil
  ) async throws -> (account: AccountFacts, isRotated: Bool) {
    try await vault.importLogin(
      account: name,
      provider: try oauthProvider(settings),
      refreshToken: shared(token),
      prompt: prompt,
      caller: caller()
    )
  }

  /// The refresh tokens that were sent.
  func sent(_ bench: Bench) -> [String] {
    bench.forms.compactMap { $0["refresh_token"] }
  }

  @Test
  func anImportUsesTheTokenOnceAndKeepsItsSuccessor() async throws {
    let vault = try await bench.open()
    bench.exchange.plan(oauthTokens("at-1", refresh: "new"))
    let (facts, isRotated) = try await take(vault)
    #expect(facts.name == "me" && facts.state == .ready && !facts.isProtected && isRotated)
    #expect(sent(bench) == ["old"])
    #expect(try await vault.token().accessToken == "at-1")
    #expect(try await vault.events() == ["login-imported begun", "login-imported done"])
    bench.clock.advance(3600)
    bench.exchange.plan(oauthTokens("at-2", refresh: "newer"))
    #expect(try await vault.token().accessToken == "at-2")
    #expect(sent(bench) == ["old", "new"])
  }

  /// Some providers keep the refresh token, or repeat it.
  @Test(arguments: [nil, "old"])
  func aTokenThatTheProviderKeepsIsSealed(_ repeated: String?) async throws {
    let vault = try await bench.open()
    bench.exchange.plan(oauthTokens("at-1", refresh: repeated))
    #expect(try await !take(vault).isRotated)
    bench.clock.advance(3600)
    bench.exchange.plan(oauthTokens("at-2", refresh: repeated))
    #expect(try await vault.token().accessToken == "at-2")
    #expect(sent(bench) == ["old", "old"])
  }

  @Test(arguments: [
    ScriptedExchange.Step.answer(status: 400, body: #"{"error":"invalid_grant"}"#),
    .answer(status: 400, body: #"{"error":"invalid_client"}"#),
    .answer(status: 500, body: ""), .nothingSent, .died, .torn, .notStarted("none"),
  ])
  func aRefusalAndALostAnswerLeaveNoAccount(_ step: ScriptedExchange.Step) async throws {
    let vault = try await bench.open()
    bench.exchange.plan(step)
    #expect(await failure { _ = try await take(vault) } != nil)
    #expect(try await vault.accountFacts(named: nil).isEmpty)
    #expect(try bench.scratch.files().keys.filter { $0.contains("/") } == [])
    // The other program's copy is the only one, so the import can be tried again.
    bench.exchange.plan(oauthTokens("at-1", refresh: "new"))
    #expect(try await take(vault).account.state == .ready)
  }

  @Test
  func anAccountThatIsSignedInIsLeftAsItIs() async throws {
    let vault = try await bench.open()
    try await bench.signInOAuth(vault)
    let before = try await vault.row()
    let why = await failure { _ = try await take(vault) }
    guard case .refused = why else {
      Issue.record("\(String(describing: why))")
      return
    }
    #expect(try await vault.row() == before)
    #expect(sent(bench).isEmpty)
  }

  /// A second use of a rotated token ends the login at many providers.
  @Test
  func aSecondImportOfTheSameTokenSendsNothing() async throws {
    let vault = try await bench.open()
    bench.exchange.plan(oauthTokens("at-1", refresh: "new"))
    _ = try await take(vault)
    let (facts, isRotated) = try await take(vault)
    #expect(facts.state == .ready && isRotated)
    bench.clock.advance(3600)
    bench.exchange.plan(oauthTokens("at-2", refresh: "newer"))
    _ = try await vault.token()
    #expect(try await take(vault).isRotated)
    #expect(sent(bench) == ["old", "new"])
    guard case .refused? = await failure({ _ = try await take(vault, "another") }) else {
      Issue.record("an import replaced a login")
      return
    }
  }

  @Test
  func aRemovalForgetsTheImport() async throws {
    let vault = try await bench.open()
    bench.exchange.plan(oauthTokens("at-1", refresh: "new"))
    _ = try await take(vault)
    let row = try await vault.row()
    _ = try await vault.remove(account: "me", local: true, caller: caller())
    let key = "import:" + Hexadecimal.text(row.id)
    #expect(try await vault.inspect { try $0.meta(key) } == nil)
  }

  /// Ends the engine when the exchange reaches a stage, and opens the vault again.
  private func killed(
    at stage: String,
    _ step: ScriptedExchange.Step
  ) async throws -> Bench {
    let vault = try await bench.open()
    let box = Box<Bench>()
    bench.exchange.observe { [bench] reached in
      if reached == stage { box.put(try? bench.snapshot()) }
    }
    bench.exchange.plan(step)
    _ = try? await take(vault)
    return try #require(box.value)
  }

  @Test(arguments: [true, false])
  func anAnswerThatAKillLeftIsKeptAndTheTokenIsNotSentAgain(_ asksFirst: Bool) async throws {
    let bench = try await killed(at: "written", oauthTokens("at-1", refresh: "new"))
    let vault = try await bench.open()
    if asksFirst { #expect(try await vault.token().accessToken == "at-1") }
    let (facts, isRotated) = try await take(vault)
    #expect(facts.state == .ready && isRotated)
    #expect(bench.exchange.requests.isEmpty)
    bench.clock.advance(3600)
    bench.exchange.plan(oauthTokens("at-2", refresh: "newer"))
    #expect(try await vault.token().accessToken == "at-2")
    #expect(sent(bench) == ["new"])
  }

  /// The token of the call is gone with its engine, and the other program still has it.
  @Test
  func anAnswerWithoutATokenThatAKillLeftMakesNoAccount() async throws {
    let bench = try await killed(at: "written", oauthTokens("at-1", refresh: nil))
    let vault = try await bench.open()
    #expect(await failure { _ = try await vault.token() } != nil)
    #expect(try await vault.accountFacts(named: nil).isEmpty)
    bench.exchange.plan(oauthTokens("at-2", refresh: nil))
    #expect(try await take(vault).account.state == .ready)
  }

  /// Whether the token has reached the provider is not known, so the next engine does not send it
  /// again by itself.
  @Test
  func aKillWithoutAnAnswerIsToldBeforeTheImportIsMadeAgain() async throws {
    let bench = try await killed(at: "begun", oauthTokens("at-1", refresh: "new"))
    let vault = try await bench.open()
    guard case .unavailable(.uncertain, _, _, _)? = await failure({ _ = try await take(vault) })
    else {
      Issue.record("the lost answer was not told")
      return
    }
    #expect(sent(bench).isEmpty)
    bench.exchange.plan(oauthTokens("at-2", refresh: "new"))
    #expect(try await take(vault).account.state == .ready)
    #expect(sent(bench) == ["old"])
  }

  /// The account was Ann's, and programs name it: another person's login must not take its place.
  @Test
  func aProtectedAccountIsTakenAfterACheckOnly() async throws {
    let vault = try await bench.open()
    try await bench.signInOAuth(vault)
    try await bench.protect(vault)
    _ = try await vault.signOut(account: "me", local: true, caller: caller())
    let before = try await vault.row()
    let need = try await need { _ = try await take(vault) }
    #expect(need.purpose == .replace && need.detail?.contains("of another program") == true)
    #expect(sent(bench).isEmpty)
    try await bench.pass(need, vault, caller())
    // The check was for this token.
    #expect(await failure { _ = try await take(vault, "another", prompt: need.prompt) } != nil)
    #expect(try await vault.row() == before)
    let again = try await TokenVaultTests.need { _ = try await take(vault) }
    try await bench.pass(again, vault, caller())
    bench.exchange.plan(oauthTokens("at-1", refresh: "new"))
    let facts = try await take(vault, prompt: again.prompt).account
    #expect(facts.state == .ready && !facts.isProtected)
  }

  @Test(arguments: ["", String(repeating: "x", count: 40_000)])
  func aTextThatIsNoTokenIsRefused(_ text: String) async throws {
    let vault = try await bench.open()
    guard case .invalidArgument? = await failure({ _ = try await take(vault, text) }) else {
      Issue.record("it was taken")
      return
    }
    #expect(bench.exchange.requests.isEmpty)
    #expect(try await vault.accountFacts(named: nil).isEmpty)
  }

  @Test
  func aPasswordBackendsLoginCanBeMovedToo() async throws {
    let vault = try await bench.open()
    bench.exchange.plan(.tokens(access: "at-1", refresh: "new"))
    let facts = try await vault.importLogin(
      account: "me",
      provider: try provider(),
      refreshToken: shared("old"),
      caller: caller()
    ).account
    #expect(facts.subject == "u-1")
    #expect(bench.exchange.refreshes == [#"{"refresh_token":"old"}"#])
  }

  /// An ID token of a refresh is checked, and a broken one does not lose the new refresh token.
  @Test(arguments: [true, false])
  func anIDTokenIsCheckedAndNamesThePerson(_ isGood: Bool) async throws {
    let vault = try await bench.open()
    try bench.planDiscovery()
    let token = try OpenProvider.idToken(
      nonce: nil,
      at: bench.clock,
      claims: isGood ? [:] : ["aud": #""another""#]
    )
    bench.exchange.plan(
      .answer(status: 200, body: OpenProvider.tokens(refresh: "new", idToken: token))
    )
    @Sendable
    func move() async throws {
      _ = try await vault.importLogin(
        account: "me",
        provider: try OpenProvider.provider(),
        refreshToken: shared("old"),
        caller: caller()
      )
    }
    #expect((await failure { try await move() } == nil) == isGood)
    // The same call finishes the move.
    #expect(await failure { try await move() } == nil)
    #expect(sent(bench) == ["old"])
    let row = try await vault.row()
    #expect(row.state == .signedIn && row.generation == 1)
    #expect(row.email == (isGood ? "ann@example.org" : nil))
  }
}
