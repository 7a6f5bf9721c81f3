import JSON
import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// The sign-out: when it needs a check, and what is reported about the refresh token.
@Suite(.timeLimit(.minutes(10)))
struct SignOutTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  private func signOut(
    _ vault: Vault,
    _ prompt: String? = nil,
    caller: Caller = caller()
  ) async throws(VaultFailure) -> Revocation {
    try await vault.signOut(account: "me", local: false, prompt: prompt, caller: caller)
  }

  @Test
  func aLockedAccountAsksBeforeAnythingIsErased() async throws {
    let vault = try await bench.locked()
    let before = try await vault.row()
    let asked = bench.exchange.requests.count
    let need = try await need { _ = try await signOut(vault) }
    #expect(need.purpose == .signOut && need.account == "me")
    #expect(need.detail == "me@example.org at dev")
    #expect(need.methods.contains(.password))
    #expect(try await vault.row() == before)
    #expect(bench.exchange.requests.count == asked)
    try await bench.pass(need, vault, caller())
    bench.exchange.plan(.answer(status: 204, body: ""))
    #expect(try await signOut(vault, need.prompt) == Revocation(.ended))
    // The backend gets both tokens: some backends use the one, some the other.
    let request = try #require(bench.exchange.requests.last)
    #expect(request.url == "https://id.example.com/auth/logout")
    #expect(request.headers.contains("Authorization: Bearer at-me"))
    #expect(request.body == #"{"refresh_token":"rt-me"}"#)
    #expect(try await vault.row().sealedRefreshToken == nil)
    let last = try #require(try await vault.auditPage(after: 0, since: nil, account: nil).last)
    #expect(last.event == "logout" && last.method == "password" && last.detail == "revoked")
    // The proof was for this one sign-out.
    #expect(await failure { _ = try await signOut(vault, need.prompt) } == nil)
  }

  @Test
  func aCheckThatDoesNotPassLeavesTheLoginAsItIs() async throws {
    let vault = try await bench.locked()
    let before = try await vault.row()
    let need = try await need { _ = try await signOut(vault) }
    bench.check.plan([.failed(.timedOut)])
    _ = await failure {
      _ = try await vault.check(need.prompt, by: .password, caller: caller()) { _ in }
    }
    guard case .presenceFailed? = await failure({ _ = try await signOut(vault, need.prompt) })
    else {
      Issue.record("signed out without a check")
      return
    }
    #expect(try await vault.row() == before)
    #expect(try await vault.cachedToken() == "at-me")
  }

  @Test
  func aCallerThatCannotAskErasesNothing() async throws {
    let vault = try await bench.locked()
    let before = try await vault.row()
    let need = try await need { _ = try await signOut(vault, caller: caller(asking: .never)) }
    #expect(need.prompt.isEmpty && need.purpose == .signOut)
    #expect(try await vault.row() == before)
  }

  @Test
  func anOpenWindowLetsTheTokenBeUsedForTheEnd() async throws {
    let vault = try await bench.locked()
    try await bench.unlock(vault, ["me"])
    bench.exchange.plan(.answer(status: 204, body: ""))
    #expect(try await signOut(vault).revoked)
    let trail = try await vault.auditPage(after: 0, since: nil, account: nil)
    #expect(trail.last?.method == "unlock-window")
  }

  @Test
  func aLocalSignOutOpensNoPromptAndKeepsTheUserOfTheAccount() async throws {
    let vault = try await bench.locked()
    let before = try await vault.row()
    let asked = bench.exchange.requests.count
    let answer = try await vault.signOut(account: "me", local: true, caller: caller())
    #expect(answer.grant == .valid && answer.reason != nil)
    #expect(bench.exchange.requests.count == asked)
    let after = try await vault.row()
    #expect(after.state == .signedOut && after.sealedRefreshToken == nil)
    #expect(after.isProtected && after.name == before.name && after.subject == before.subject)
    #expect(after.email == before.email && after.binding == before.binding)
    // After that there is nothing left to ask for.
    #expect(try await signOut(vault).grant == Revocation.Grant.none)
  }

  @Test
  func aSignOutThatCannotReachTheProviderOpensNoPrompt() async throws {
    let vault = try await bench.open()
    try await bench.signInOAuth(vault)
    try await bench.protect(vault)
    _ = try await vault.lock(caller: caller())
    let answer = try await signOut(vault)
    #expect(answer == Revocation(.valid, "the provider has no revocation_endpoint"))
  }

  /// The gate itself refuses a call that was admitted before protection was turned on.
  @Test
  func aRightWithoutACheckOpensNoProtectedToken() async throws {
    let vault = try await bench.locked()
    let row = try await vault.row()
    guard
      case .presenceFailed? = await failure({
        _ = try await vault.signOut(row.id, .withoutCheck, caller())
      })
    else {
      Issue.record("a protected token was used without a check")
      return
    }
    #expect(try await vault.row() == row)
  }

  // MARK: - The report about the token

  @Test(
    arguments: [
      (.answer(status: 200, body: ""), .ended), (.answer(status: 404, body: ""), .valid),
      (.answer(status: 429, body: ""), .valid), (.answer(status: 503, body: ""), .unknown),
      (.nothingSent, .valid), (.died, .unknown),
    ] as [(ScriptedExchange.Step, Revocation.Grant)]
  )
  func eachAnswerSaysWhetherTheTokenIsValidStill(
    _ step: ScriptedExchange.Step,
    _ grant: Revocation.Grant
  ) async throws {
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.exchange.plan(step)
    let answer = try await signOut(vault)
    #expect(answer.grant == grant)
    #expect((answer.reason == nil) == (grant == .ended))
    #expect(try await vault.row().sealedRefreshToken == nil)
  }

  /// The provider may have given a newer token, and its answer about the old one says nothing about
  /// that.
  @Test
  func afterALostAnswerNothingIsCertain() async throws {
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.exchange.plan(.died)
    _ = await failure { _ = try await vault.token(rejected: "at-1") }
    #expect(try await vault.stateOfMe().state == .uncertain)
    bench.exchange.plan(.answer(status: 200, body: ""))
    let answer = try await signOut(vault)
    #expect(answer.grant == .unknown && answer.reason?.contains("lost") == true)
  }

  @Test
  func aGrantThatTheProviderHasEndedIsNoneToEnd() async throws {
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.advance(3600)
    bench.exchange.plan(.answer(status: 401, body: #"{"error":"invalid_grant"}"#))
    _ = await failure { _ = try await vault.token() }
    #expect(try await vault.stateOfMe().state == .loginRequired)
    #expect(try await signOut(vault).grant == Revocation.Grant.none)
  }

  /// A token that a restored copy of the store does not know may be alive.
  @Test
  func anAccountOfAStoreThatWasPutBackIsUncertain() async throws {
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.accept(vault)
    #expect(try await vault.stateOfMe().state == .loginRequired)
    #expect(try await signOut(vault).grant == .unknown)
  }

  /// The provider's part is over if the disk becomes full after the first record.
  @Test
  func aFailureBehindTheProvidersAnswerSaysThatTheLoginHasEnded() {
    let full = VaultFailure(StorageError.full)
    guard case .vaultUnsafe(let why, let hint) = Revocation(.ended).notErased(full) else {
      Issue.record("another failure")
      return
    }
    #expect(why.hasPrefix("the provider has ended the login") && why.contains("no space left"))
    #expect(hint?.text.contains("nothing was changed") == false)
    #expect("\(Revocation(.unknown).notErased(full))".contains("the provider may have ended"))
    #expect(Revocation(.valid, "HTTP 404").notErased(full) == full)
  }

  @Test
  func onAFullDiskTheProviderIsNotTold() async {
    // In its own process: a child that another test has forked would give pages back.
    await #expect(processExitsWith: .success) { try await Self.tellsNothing() }
  }

  private static func tellsNothing() async throws {
    let scratch = try Scratch()
    try scratch.mountSmall(pages: 400)
    let bench = try Bench(scratch)
    let vault = try await bench.open()
    try await bench.signIn(vault)
    let asked = bench.exchange.requests.count
    try scratch.fill()
    for isRemoval in [false, true] {
      let told = await failure {
        if isRemoval {
          _ = try await vault.remove(account: "me", local: false, caller: caller())
        } else {
          _ = try await vault.signOut(account: "me", local: false, caller: caller())
        }
      }
      guard case .vaultUnsafe? = told else {
        Issue.record("signed out without a record")
        return
      }
    }
    #expect(bench.exchange.requests.count == asked)
    try scratch.clear()
    #expect(try await vault.stateOfMe().state == .ready)
    bench.exchange.plan(.answer(status: 200, body: ""))
    #expect(try await vault.signOut(account: "me", local: false, caller: caller()).revoked)
    #expect(try await vault.events().suffix(2) == ["logout begun", "logout done"])
  }

  // MARK: - A password backend without a valid access token
  @Test
  func aBackendIsToldTheRefreshTokenWhereTheAccessTokenHasExpired() async throws {
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.advance(3600)
    bench.exchange.plan(.answer(status: 200, body: ""))
    #expect(try await signOut(vault).revoked)
    let request = try #require(bench.exchange.requests.last)
    #expect(request.body == #"{"refresh_token":"rt-1"}"#)
    #expect(!request.headers.contains { $0.hasPrefix("Authorization") })
    #expect(bench.exchange.refreshes.isEmpty)
  }

  @Test(arguments: [401, 403, 400])
  func aBackendThatWantsAnAccessTokenGetsANewOne(_ status: Int) async throws {
    let vault = try await bench.locked()
    bench.clock.advance(3600)
    let need = try await need { _ = try await signOut(vault) }
    try await bench.pass(need, vault, caller())
    bench.exchange.plan(
      .answer(status: status, body: ""),
      .tokens(access: "at-2", refresh: "rt-2"),
      .answer(status: 200, body: "")
    )
    #expect(try await signOut(vault, need.prompt) == Revocation(.ended))
    #expect(bench.exchange.refreshes == [#"{"refresh_token":"rt-me"}"#])
    let request = try #require(bench.exchange.requests.last)
    #expect(request.headers.contains("Authorization: Bearer at-2"))
    #expect(request.body == #"{"refresh_token":"rt-2"}"#)
    #expect(try await vault.row().sealedRefreshToken == nil)
    #expect(try await vault.cachedToken() == nil)
    let files = try bench.scratch.files()
    #expect(locations(of: "at-2", in: files).isEmpty && locations(of: "rt-2", in: files).isEmpty)
    #expect(try await vault.events().suffix(3) == ["refresh begun", "refresh done", "logout done"])
  }

  @Test
  func aSignOutRefreshesDespiteThePauseAfterARefusal() async throws {
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.advance(3600)
    bench.exchange.plan(.answer(status: 400, body: #"{"error":"closed_for_a_while"}"#))
    _ = await failure { _ = try await vault.token() }
    bench.exchange.plan(
      .answer(status: 401, body: ""),
      .tokens(access: "at-2", refresh: "rt-2"),
      .answer(status: 200, body: "")
    )
    #expect(try await signOut(vault) == Revocation(.ended))
    #expect(bench.exchange.refreshes.count == 2)
  }

  @Test
  func aRefreshForTheEndThatBringsNothingIsSaidSo() async throws {
    let vault = try await bench.open()
    try await bench.signIn(vault)
    bench.clock.advance(3600)
    bench.exchange.plan(.answer(status: 401, body: ""), .died)
    let answer = try await signOut(vault)
    #expect(answer.grant == .valid && answer.reason?.contains("401") == true)
    #expect(try await vault.row().state == .signedOut)
    #expect(try await vault.intent() == nil)
  }
}
