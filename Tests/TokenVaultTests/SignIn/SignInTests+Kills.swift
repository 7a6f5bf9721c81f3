import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// Logins that a kill interrupts.
extension SignInTests {
  /// A sign-in or registration whose engine was killed at a stage.
  private func killed(
    at stage: String,
    registering: Bool,
    _ step: ScriptedExchange.Step = .tokens(access: "at-1", refresh: "rt-1")
  ) async throws -> Bench {
    let bench = try Bench()
    let vault = try await bench.open()
    let box = Box<Bench>()
    bench.exchange.observe { reached in
      if reached == stage { box.put(try? bench.snapshot()) }
    }
    bench.exchange.plan(step)
    _ = await failure { _ = try await sign(vault, registering: registering) }
    return try #require(box.value)
  }

  @Test
  func aLoginThatAKillInterruptedEndsFromTheSlot() async throws {
    let bench = try await killed(at: "written", registering: false)
    let vault = try await bench.open()
    #expect(try await vault.token().accessToken == "at-1")
    #expect(bench.exchange.requests.isEmpty)
    let facts = try await vault.stateOfMe()
    #expect(facts.state == .ready && facts.email == "me@example.org")
    bench.clock.advance(3600)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
  }

  @Test
  func aRegistrationThatAKillInterruptedIsNotSentAgain() async throws {
    let bench = try await killed(at: "written", registering: true)
    let vault = try await bench.open()
    let facts = try await sign(vault, registering: true)
    #expect(facts.state == .ready)
    #expect(bench.exchange.requests.isEmpty)
    // For another address it is a separate registration.
    bench.exchange.plan(.answer(status: 409, body: "{}"))
    #expect(
      await failure { _ = try await sign(vault, registering: true, email: "you@example.org") }
        != nil
    )
    #expect(bench.exchange.requests.count == 1)
  }

  @Test(arguments: [true, false])
  func aLoginThatAKillInterruptedBeforeItWasSentCanBeMadeAgain(_ registering: Bool) async throws {
    let bench = try await killed(at: "begun", registering: registering)
    let vault = try await bench.open()
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await sign(vault, registering: registering).state == .ready)
    #expect(bench.exchange.requests.count == 1)
    #expect(try await vault.token().accessToken == "at-2")
  }

  @Test
  func anIntentThatWasEditedTakesNoAnswer() async throws {
    let bench = try await killed(at: "written", registering: false)
    let evil = try provider(["issuer": "https://evil.example.com"])
    try await bench.withStore { store in
      let account = try #require(try store.account(named: "me", owner: ThisProcess.user))
      var intent = try #require(try store.intent(account: account.id))
      intent.context = SignInIntent(evil, email: "me@example.org", exportable: false).encoded
      let changed = intent
      try store.transaction { try store.put(changed) }
    }
    let vault = try await bench.open()
    #expect(await failure { _ = try await vault.token() } != nil)
    #expect(try await vault.accountFacts(named: nil).isEmpty)
    #expect(bench.exchange.requests.isEmpty)
  }
}
