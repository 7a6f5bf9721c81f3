import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// The release of refresh tokens, which only exportable accounts allow.
@Suite(.timeLimit(.minutes(10)))
struct ReleaseTests {
  private func release(
    _ vault: Vault,
    _ bench: Bench
  ) async throws -> (token: String, signedOut: Bool) {
    let need = try await need {
      _ = try await vault.release(account: "me", keep: false, prompt: nil, caller: caller())
    }
    #expect(need.purpose == .release && need.account == "me")
    try await bench.pass(need, vault, caller())
    let (token, signedOut) = try await vault.release(
      account: "me",
      keep: false,
      prompt: need.prompt,
      caller: caller()
    )
    return (text(token), signedOut)
  }

  @Test(arguments: [true, false])
  func theTokenComesOutAndTheAccountIsSignedOut(_ protected: Bool) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    #expect(try await bench.signInExportable(vault).isExportable)
    if protected { try await bench.protect(vault) }
    let box = try #require(try await vault.row().sealedRefreshToken)
    let (token, signedOut) = try await release(vault, bench)
    #expect(token == "rt-1" && signedOut)
    #expect(try await vault.stateOfMe().state == .signedOut)
    #expect(try await vault.cachedToken() == nil)
    #expect(try bench.filesHolding([box, Array("rt-1".utf8)]) == [])
    #expect(try await vault.events().last == "release done")
    // The provider is not contacted, because the token is used elsewhere from now on.
    #expect(bench.exchange.requests.count == 1)
  }

  @Test
  func aTokenThatRotatedComesOutButIsNotKept() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    _ = try await bench.signInExportable(vault)
    bench.clock.advance(7200)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    _ = try await vault.token()
    guard
      case .refused(let why)? = await failure({
        _ = try await vault.release(account: "me", keep: true, prompt: nil, caller: caller())
      })
    else {
      Issue.record("kept a token that rotates")
      return
    }
    #expect(why.contains("--keep"))
    #expect(try await release(vault, bench).token == "rt-2")
  }

  @Test
  func anAccountThatIsNotExportableGivesNothing() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.unlock(vault)
    let refused = await failure {
      _ = try await vault.release(account: "me", keep: false, prompt: nil, caller: caller())
    }
    #expect(refused == .notExportable(account: "me"))
    // The refusal is counted once, with its account.
    await vault.note(try #require(refused), by: caller())
    try await vault.flushCounts()
    let records = try await vault.auditPage(after: 0, since: nil, account: "me")
    let written = records.filter { $0.event == "refusal" }
    #expect(written.map(\.detail) == ["1 × release of an account that is not exportable"])
    #expect(try await vault.events().count { $0.hasPrefix("refusal") } == 1)
  }

  @Test
  func aPlainLoginTakesThePermissionAway() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    _ = try await bench.signInExportable(vault)
    #expect(try await !bench.signIn(vault, refresh: "rt-2").isExportable)
    guard
      case .notExportable(account: "me")? = await failure({
        _ = try await vault.release(account: "me", keep: false, prompt: nil, caller: caller())
      })
    else {
      Issue.record("released")
      return
    }
  }

  @Test(arguments: [true, false])
  func aRecordThatWasEditedToSaySoGivesNothing(_ withBinding: Bool) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    var row = try await vault.row()
    row.exportable = true
    if withBinding {
      row.binding = try await vault.bindingOf(row.providerSettings, nil, exportable: true)
    }
    let edited = row
    try await vault.inspect { store in try store.transaction { try store.update(edited) } }
    guard case .vaultUnsafe? = await failure({ _ = try await release(vault, bench) }) else {
      Issue.record("released")
      return
    }
    #expect(try await !vault.events().contains("release done"))
  }

  @Test
  func neitherAWindowNorAProofForSomethingElseReleases() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    _ = try await bench.signInExportable(vault)
    bench.clock.advance(7200)
    bench.exchange.plan(.tokens(access: "at-2", refresh: nil))
    _ = try await vault.token()
    try await bench.unlock(vault)
    let release = try await need {
      _ = try await vault.release(account: "me", keep: true, prompt: nil, caller: caller())
    }
    // Prompts that are not passed yet, belong to another connection, or were made for a test.
    let test = try await need { _ = try await vault.testPresence(prompt: nil, caller: caller()) }
    try await bench.pass(test, vault, caller())
    for (prompt, asker) in [
      (release.prompt, caller()), (release.prompt, caller(2)), (test.prompt, caller()),
    ] {
      guard
        case .presenceFailed? = await failure({
          _ = try await vault.release(account: "me", keep: true, prompt: prompt, caller: asker)
        })
      else {
        Issue.record("released")
        return
      }
    }
    #expect(try await vault.stateOfMe().state == .ready)
  }

  @Test
  func aTokenWhoseLastAnswerWasLostIsNotReleased() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    _ = try await bench.signInExportable(vault)
    bench.clock.advance(7200)
    bench.exchange.plan(.died)
    #expect(await failure { _ = try await vault.token() } != nil)
    let refused = await failure { _ = try await release(vault, bench) }
    guard case .unavailable(_, let message, _, _)? = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
    #expect(message.hasPrefix("me cannot be released: the answer to its last refresh was lost"))
    #expect(try await vault.row().sealedRefreshToken != nil)
  }

  @Test
  func theGateItselfRefusesToReleaseWithoutAProof() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    _ = try await bench.signInExportable(vault)
    let refused = await failure { try await vault.tryToRelease() }
    guard case .presenceFailed? = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
  }

  @Test
  func theProofForAnAccountToBeMadeIsOfNoUseForAnother() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    func login(_ name: String, _ prompt: String?) async throws {
      _ = try await vault.signIn(
        account: name,
        provider: try provider(),
        email: "me@example.org",
        password: shared("hunter2"),
        registering: false,
        displayName: nil,
        exportable: true,
        prompt: prompt,
        caller: caller()
      )
    }
    let need = try await need { try await login("me", nil) }
    try await bench.pass(need, vault, caller())
    guard case .presenceFailed? = await failure({ try await login("other", need.prompt) }) else {
      Issue.record("a proof for another account")
      return
    }
    #expect(bench.exchange.requests.isEmpty)
  }
}

extension Vault {
  fileprivate func tryToRelease() throws {
    _ = try openRefreshToken(
      of: try row(),
      authority: Authority(),
      use: Use(purpose: .release, caller: caller())
    )
  }
}
