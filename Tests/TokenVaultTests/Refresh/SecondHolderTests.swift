import Presence
import PresenceTerms
import SecretMemory
import Storage
import System
import Testing

@testable import TokenVault

/// A refresh token gets a second holder only if the provider is known not to replace it.
@Suite(.timeLimit(.minutes(10)))
struct SecondHolderTests {
  /// The result of `release --keep`: the token, or the reason against it.
  private enum Answer: Equatable {
    case kept(String)
    case unknown
    case replaces
    case other(String)
  }

  private func keep(_ vault: Vault, _ bench: Bench) async throws -> Answer {
    func release(_ prompt: String?) async throws -> (token: SharedSecret, signedOut: Bool) {
      try await vault.release(account: "me", keep: true, prompt: prompt, caller: caller())
    }
    do {
      _ = try await release(nil)
    } catch VaultFailure.presenceNeeded(let need) {
      try await bench.pass(need, vault, caller())
      let (token, signedOut) = try await release(need.prompt)
      #expect(!signedOut)
      #expect(try await vault.stateOfMe().state == .ready)
      return .kept(text(token))
    } catch VaultFailure.refused(let why) {
      #expect(why.hasPrefix("--keep: ") && why.hasSuffix("leave out --keep"))
      if why.contains("not known yet") && why.contains("thumblatch token me --rejected") {
        return .unknown
      }
      return why.contains("replaces refresh tokens, so two holders") ? .replaces : .other(why)
    }
    return .other("without a check")
  }

  private func refresh(
    _ vault: Vault,
    _ bench: Bench,
    _ token: String?
  ) async throws {
    bench.clock.advance(7200)
    bench.exchange.plan(.tokens(access: "at-2", refresh: token))
    _ = try await vault.token()
  }

  @Test
  func afterASignInNothingIsKnown() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    _ = try await bench.signInExportable(vault)
    #expect(try await keep(vault, bench) == .unknown)
    _ = try await bench.signInExportable(vault, refresh: "rt-2")
    #expect(try await keep(vault, bench) == .unknown)
  }

  @Test(arguments: [nil, "", "rt-1"])
  func aRefreshThatBroughtNoOtherTokenShowsIt(_ token: String?) async throws {
    let bench = try Bench()
    var vault: Vault? = try await bench.open()
    if let vault {
      _ = try await bench.signInExportable(vault)
      try await refresh(vault, bench, token)
      #expect(try await keep(vault, bench) == .kept("rt-1"))
    }
    vault = nil
    // Another engine knows it, too.
    let next = try await bench.open()
    #expect(try await keep(next, bench) == .kept("rt-1"))
  }

  @Test
  func aSecondSignInIsNoRotationAndForgetsWhatWasKnown() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    _ = try await bench.signInExportable(vault)
    try await refresh(vault, bench, nil)
    _ = try await bench.signInExportable(vault, refresh: "rt-2")
    #expect(try await keep(vault, bench) == .unknown)
    try await refresh(vault, bench, "rt-2")
    #expect(try await vault.row().generation == 2)
    #expect(try await keep(vault, bench) == .kept("rt-2"))
  }

  @Test
  func oneRotationShowsThatItReplacesThem() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    _ = try await bench.signInExportable(vault)
    try await refresh(vault, bench, nil)
    try await refresh(vault, bench, "rt-2")
    #expect(try await keep(vault, bench) == .replaces)
  }

  @Test(arguments: ["rt-1", "rt-2"])
  func anAnswerOfNoUseShowsOnlyARotation(_ token: String) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    _ = try await bench.signInExportable(vault)
    let before = try await vault.row()
    let count = try await vault.boxChanges()
    bench.clock.advance(7200)
    bench.exchange.plan(.answer(status: 200, body: #"{"refresh_token":"\#(token)"}"#))
    guard case .misconfigured? = await failure({ _ = try await vault.token() }) else {
      Issue.record("not told what is wrong")
      return
    }
    let after = try await vault.row()
    let isSame = token == "rt-1"
    #expect((after.generation == before.generation) == isSame)
    #expect((after.sealedRefreshToken == before.sealedRefreshToken) == isSame)
    #expect(try await vault.boxChanges() == count + (isSame ? 0 : 1))
    #expect(try await keep(vault, bench) == (isSame ? .unknown : .replaces))
  }

  @Test(arguments: ["rt-1", "rt-2"])
  func anAnswerThatAnEngineLeftBehindShowsNothing(_ token: String) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    _ = try await bench.signInExportable(vault)
    try await refresh(vault, bench, nil)
    bench.clock.advance(7200)
    let killed = Box<Bench>()
    bench.exchange.observe { stage in if stage == "written" { killed.put(try? bench.snapshot()) } }
    bench.exchange.plan(.tokens(access: "at-3", refresh: token))
    _ = try await vault.token()
    // It is unknown which token was sent, so any token in the answer replaces it.
    let next = try #require(killed.value)
    let reopened = try await next.open()
    #expect(try await reopened.token().accessToken == "at-3")
    #expect(try await reopened.row().generation == 2)
    #expect(try await keep(reopened, next) == .unknown)
    try await refresh(reopened, next, token)
    #expect(try await keep(reopened, next) == .kept(token))
  }

  @Test
  func anAnswerWithoutATokenThatAnEngineLeftBehindShowsIt() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    _ = try await bench.signInExportable(vault)
    bench.clock.advance(7200)
    let killed = Box<Bench>()
    bench.exchange.observe { stage in if stage == "written" { killed.put(try? bench.snapshot()) } }
    bench.exchange.plan(.tokens(access: "at-2", refresh: nil))
    _ = try await vault.token()
    let next = try #require(killed.value)
    let reopened = try await next.open()
    #expect(try await reopened.token().accessToken == "at-2")
    #expect(try await keep(reopened, next) == .kept("rt-1"))
  }

  @Test(arguments: ["sign-out", "removal", "release", "recovery"])
  func whatEndsASessionForgetsIt(_ end: String) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    _ = try await bench.signInExportable(vault)
    try await refresh(vault, bench, nil)
    let key = "steady:" + Hexadecimal.text(try await vault.row().id)
    #expect(try await vault.inspect { store in try store.meta(key) } == [0, 0, 0, 0, 0, 0, 0, 1])
    switch end {
    case "sign-out": _ = try await vault.signOut(account: "me", local: true, caller: caller())
    case "removal": _ = try await vault.remove(account: "me", local: true, caller: caller())
    case "recovery": try await bench.accept(vault)
    default:
      let need = try await need {
        _ = try await vault.release(account: "me", keep: false, prompt: nil, caller: caller())
      }
      try await bench.pass(need, vault, caller())
      _ = try await vault.release(
        account: "me",
        keep: false,
        prompt: need.prompt,
        caller: caller()
      )
    }
    #expect(try await vault.inspect { store in try store.meta(key) } == nil)
    _ = try await bench.signInExportable(vault, refresh: "rt-9")
    #expect(try await keep(vault, bench) == .unknown)
  }

  @Test
  func itIsNotKeptWhereReuseRevokes() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    _ = try await bench.signInExportable(vault, settings: ["refresh_reuse": "revokes"])
    for isSteady in [false, true] {
      if isSteady { try await refresh(vault, bench, nil) }
      guard case .other(let why) = try await keep(vault, bench) else {
        Issue.record("kept")
        return
      }
      #expect(why.contains("refresh_reuse = revokes"))
    }
  }

  @Test(arguments: [[], [0, 0, 0, 0, 0, 0, 0, 2], [1], [UInt8](repeating: 255, count: 9)])
  func evidenceOfAnotherGenerationIsNone(_ value: [UInt8]) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    _ = try await bench.signInExportable(vault)
    let key = "steady:" + Hexadecimal.text(try await vault.row().id)
    try await vault.inspect { store in try store.transaction { try store.setMeta(key, to: value) } }
    #expect(try await keep(vault, bench) == .unknown)
  }
}
