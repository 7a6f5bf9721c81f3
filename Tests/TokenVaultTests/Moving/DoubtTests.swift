import PresenceTerms
import Testing

@testable import TokenVault

/// The refresh token of an account whose last refresh left it in doubt does not leave the vault.
@Suite(.timeLimit(.minutes(10)))
struct DoubtTests {
  private let bench: Bench
  private let vault: Vault

  init() async throws {
    bench = try Bench()
    vault = try await bench.open()
    _ = try await bench.signInExportable(vault)
    bench.clock.advance(3600)
  }

  private func refresh(_ step: ScriptedExchange.Step) async {
    bench.exchange.plan(step)
    _ = await failure { _ = try await vault.token() }
  }

  @Test(
    arguments: [
      (.died, "the answer to its last refresh was lost"),
      (.answer(status: 400, body: ""), "an empty answer)"),
      (.answer(status: 503, body: ""), "had no clear answer (the provider answered 503)"),
    ] as [(ScriptedExchange.Step, String)]
  )
  func theReasonSaysWhatCameAndWhatToDo(
    _ step: ScriptedExchange.Step,
    _ said: String
  ) async throws {
    #expect(try await vault.doubt(about: vault.row()) == nil)
    await refresh(step)
    let doubt = try #require(try await vault.doubt(about: vault.row()))
    #expect(doubt.contains(said) && doubt.hasSuffix("; first run thumblatch token me"), "\(doubt)")
    #expect(try await vault.whyNotBackedUp(vault.row()) == doubt)
  }

  @Test
  func aReleaseSaysWhenTheNextRefreshMayBeTried() async throws {
    await refresh(.answer(status: 403, body: "<html>"))
    let need = try await need {
      _ = try await vault.release(account: "me", keep: false, prompt: nil, caller: caller())
    }
    try await bench.pass(need, vault, caller())
    let refused = await failure {
      _ = try await vault.release(account: "me", keep: false, prompt: need.prompt, caller: caller())
    }
    guard case .unavailable(.uncertain, let why, let wait?, let status)? = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
    #expect(why.contains("not JSON (HTTP 403)") && !why.contains("lost"), "\(why)")
    #expect((590...600).contains(wait) && status == 403)
  }

  /// A refusal with an unknown error leaves no doubt.
  @Test
  func aClearRefusalKeepsNoTokenInside() async throws {
    await refresh(.answer(status: 400, body: #"{"error":"odd"}"#))
    #expect(try await vault.doubt(about: vault.row()) == nil)
  }
}
