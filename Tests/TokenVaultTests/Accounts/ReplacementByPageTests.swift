import Configuration
import Presence
import PresenceTerms
import SecretMemory
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// A login of another person replaces that of an account only after a check: at the provider's own
/// page, in a browser of this machine or by a device code.
@Suite(.timeLimit(.minutes(10)))
struct ReplacementByPageTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  /// An account at an OpenID provider, whose person is `s-1`.
  private func openAccount() async throws -> Vault {
    let vault = try await bench.open()
    try await bench.openSignIn(vault)
    return vault
  }

  private func openAnswer(_ subject: String, nonce: String?) throws -> ScriptedExchange.Step {
    .answer(
      status: 200,
      body: OpenProvider.tokens(
        access: "at-\(subject)",
        refresh: "rt-\(subject)",
        idToken: try OpenProvider.idToken(
          nonce: nonce,
          at: bench.clock,
          claims: ["sub": #""\#(subject)""#, "email": #""\#(subject)@example.org""#]
        )
      )
    )
  }

  /// Protection also counts if it was turned on while the person was in the browser.
  @Test(arguments: [true, false])
  func anotherPersonInTheBrowserIsHeld(_ protectedBefore: Bool) async throws {
    let vault = try await openAccount()
    if protectedBefore { try await bench.protect(vault) }
    let start = try await bench.begin(vault)
    if !protectedBefore { try await bench.protect(vault) }
    let before = try await vault.row()
    let url = try #require(start.url)
    bench.exchange.plan(try openAnswer("s-2", nonce: parameter("nonce", of: url)))
    let query = try answer(to: url)
    let need = try await need {
      _ = try await vault.finishLogin(start.login, query: query, caller: caller())
    }
    #expect(need.purpose == .replace)
    #expect(
      need.detail == "ann@example.org at dev (https://id.example.com) → s-2@example.org at dev"
        + " (https://id.example.com); protection ends"
    )
    #expect(try await vault.row() == before)
    try await bench.pass(need, vault, caller())
    let facts = try await vault.finishLogin(
      start.login,
      query: query,
      prompt: need.prompt,
      caller: caller()
    )
    #expect(facts.subject == "s-2" && !facts.isProtected)
    #expect(try await vault.token().accessToken == "at-s-2")
  }

  @Test
  func theSamePersonInTheBrowserNeedsNoCheck() async throws {
    let vault = try await openAccount()
    try await bench.protect(vault)
    let start = try await bench.begin(vault)
    let url = try #require(start.url)
    bench.exchange.plan(try openAnswer("s-1", nonce: parameter("nonce", of: url)))
    let facts = try await vault.finishLogin(
      start.login,
      query: try answer(to: url),
      caller: caller()
    )
    #expect(facts.isProtected && facts.subject == "s-1")
  }

  @Test
  func aLoginInTheBrowserAtAnotherProviderIsAskedAboutBeforeAnyoneIsSentThere() async throws {
    let vault = try await openAccount()
    try await bench.protect(vault)
    let asked = bench.exchange.requests.count
    let other = ["client_id": "another"]
    let need = try await need { _ = try await bench.begin(vault, settings: other) }
    #expect(need.purpose == .replace)
    #expect(bench.exchange.requests.count == asked)
    try await bench.pass(need, vault, caller())
    let start = try await vault.beginLogin(
      account: "me",
      provider: try OpenProvider.provider(other),
      flow: .browser(redirect: OpenProvider.redirect),
      prompt: need.prompt,
      caller: caller()
    )
    let url = try #require(start.url)
    let token = try OpenProvider.idToken(
      nonce: parameter("nonce", of: url),
      at: bench.clock,
      claims: ["sub": #""s-2""#, "aud": #""another""#]
    )
    bench.exchange.plan(.answer(status: 200, body: OpenProvider.tokens(idToken: token)))
    let facts = try await vault.finishLogin(
      start.login,
      query: try answer(to: url),
      caller: caller()
    )
    #expect(facts.subject == "s-2" && !facts.isProtected)
  }

  @Test
  func anotherPersonByACodeIsHeld() async throws {
    let vault = try await openAccount()
    try await bench.protect(vault)
    let before = try await vault.row()
    bench.clock.run()
    bench.exchange.plan(
      .answer(
        status: 200,
        body: #"{"device_code":"dc-1","user_code":"WDJB-MJHT","expires_in":600,"interval":5,"#
          + #""verification_uri":"https://id.example.com/d"}"#
      )
    )
    let start = try await bench.begin(vault, .device)
    bench.exchange.plan(try openAnswer("s-2", nonce: nil))
    func wait(_ prompt: String?) async throws -> AccountFacts {
      try await vault.awaitLogin(start.login, prompt: prompt, caller: caller()) { _ in }
    }
    let need = try await need { _ = try await wait(nil) }
    #expect(need.purpose == .replace && need.detail?.contains("s-2@example.org") == true)
    #expect(try await vault.row() == before)
    try await bench.pass(need, vault, caller())
    #expect(try await wait(need.prompt).subject == "s-2")
  }

  /// If the identity behind the code is unknown, it is taken for another person.
  @Test
  func aProviderThatDoesNotSayWhoSignedInIsNotBelieved() async throws {
    let vault = try await bench.open()
    try await bench.signInOAuth(vault)
    try await bench.protect(vault)
    let provider = try oauthProvider([
      "device_authorization_endpoint": "https://id.example.com/device"
    ])
    let change = try await need {
      _ = try await vault.applyProvider(provider, account: "me", prompt: nil, caller: caller())
    }
    try await bench.pass(change, vault, caller())
    _ = try await vault.applyProvider(
      provider,
      account: "me",
      prompt: change.prompt,
      caller: caller()
    )
    bench.clock.run()
    bench.exchange.plan(
      .answer(
        status: 200,
        body: #"{"device_code":"dc-1","user_code":"WDJB-MJHT","expires_in":600,"interval":5,"#
          + #""verification_uri":"https://id.example.com/d"}"#
      )
    )
    let start = try await vault.beginLogin(
      account: "me",
      provider: nil,
      flow: .device,
      caller: caller()
    )
    bench.exchange.plan(oauthTokens("at-2", refresh: "rt-2"))
    let need = try await need {
      _ = try await vault.awaitLogin(start.login, caller: caller()) { _ in }
    }
    #expect(need.purpose == .replace)
    #expect(need.detail?.contains("a person that the provider does not name") == true)
  }

  /// The counter is written after the commit: the login is kept, and nothing is revoked.
  @Test
  func aLoginThatWasKeptIsNotRevokedIfTheRollbackCounterCannotBeWritten() async throws {
    let vault = try await openAccount()
    try await bench.protect(vault)
    let start = try await bench.begin(vault)
    let url = try #require(start.url)
    bench.exchange.plan(try openAnswer("s-2", nonce: parameter("nonce", of: url)))
    let query = try answer(to: url)
    let need = try await need {
      _ = try await vault.finishLogin(start.login, query: query, caller: caller())
    }
    try await bench.pass(need, vault, caller())
    let counter = bench.scratch.path + "/rollback-counter"
    try run("/bin/rm", [counter])
    try run("/bin/mkdir", [counter])
    let sent = bench.exchange.requests.count
    _ = try await vault.finishLogin(
      start.login,
      query: query,
      prompt: need.prompt,
      caller: caller()
    )
    #expect(try await vault.row().subject == "s-2")
    #expect(bench.exchange.requests.count == sent)
  }
}
