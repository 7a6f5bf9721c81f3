import Configuration
import Presence
import SecretMemory
import Storage
import System
import Testing

@testable import TokenVault

/// A sign-in would replace a protected account, and the engine is killed: the next engine decides.
@Suite(.timeLimit(.minutes(10)))
struct ReplacementCrashTests: Replacing {
  let bench: Bench

  init() throws { bench = try Bench() }

  /// The state after a kill when the answer was durable, and before it was used.
  private func killed(
    _ vault: Vault,
    _ body: () async throws -> Void
  ) async throws -> Bench {
    let written = Box<Bench>()
    bench.exchange.observe { [bench] stage in
      if stage == "written" { written.put(try? bench.snapshot()) }
    }
    try await body()
    return try #require(written.value)
  }

  @Test
  func theNextEngineReplacesNoLoginByAnAnswerThatItFinds() async throws {
    let vault = try await anns()
    let before = try await vault.row()
    bench.exchange.plan(login("eve"))
    let killed = try await killed(vault) {
      _ = try await need { try await signIn(vault, "eve") }
    }
    let next = try await killed.open()
    killed.exchange.plan(.answer(status: 200, body: ""))
    #expect(try await next.token().accessToken == "at-ann")
    #expect(try await next.withAccount(before.id) { $0 } == before)
    await killed.exchange.untilRequested(1)
    #expect(killed.exchange.requests.last?.body == #"{"refresh_token":"rt-eve"}"#)
    #expect(try await next.row() == before)
    #expect(try await next.intent() == nil)
  }

  /// An agreement before the sign-in is part of its intent.
  @Test
  func theNextEngineFinishesWhatWasAgreedTo() async throws {
    let vault = try await anns()
    let evil = try elsewhere()
    let need = try await need { try await signIn(vault, "eve", at: evil) }
    try await bench.pass(need, vault, caller())
    bench.exchange.plan(login("eve"))
    let killed = try await killed(vault) {
      try await signIn(vault, "eve", at: evil, need.prompt)
    }
    let next = try await killed.open()
    // The next step with exclusive use of the account finishes the sign-in.
    let identifier = try await next.row().id
    let row = try await next.withAccount(identifier) { $0 }
    #expect(try await next.token().accessToken == "at-eve")
    #expect(row.provider == "evil" && row.subject == "id-eve" && !row.isProtected)
  }

  /// An agreement is for the account as it was, and not for values that were edited into the store.
  @Test
  func anAgreementThatWasEditedIntoTheIntentOpensNothing() async throws {
    let vault = try await anns()
    let before = try await vault.row()
    let agreed = try await vault.ownership(of: before)
    bench.exchange.plan(login("eve"))
    let killed = try await killed(vault) {
      _ = try await need { try await signIn(vault, "eve") }
    }
    try await killed.forge { store in
      var intent = try #require(try store.intent(account: before.id))
      var pending = try #require(SignInIntent(decoding: intent.context, of: before.id))
      pending.agreed = agreed
      intent.context = pending.encoded
      let changed = intent
      try store.transaction { try store.put(changed) }
    }
    let next = try await killed.open()
    _ = await failure { _ = try await next.withAccount(before.id) { $0 } }
    #expect(try await next.token().accessToken == "at-ann")
    #expect(try await next.row() == before)
  }
}
