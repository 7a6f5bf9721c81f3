import Configuration
import PresenceTerms
import Storage
import Synchronization
import System
import Testing

@testable import TokenVault

/// Transfers of a private vault into the service.
@Suite(.timeLimit(.minutes(10)))
struct MoveToServiceTests {
  @Test
  func allAccountsMoveWithTheirProtection() async throws {
    let bench = try Bench()
    let service = ScriptedTransfer()
    let vault = try await bench.open(service: service)
    try await bench.signIn(vault, "me", refresh: "rt-me")
    try await bench.signIn(vault, "work", refresh: "rt-work")
    _ = try await vault.setDefault(account: "work", caller: caller())
    try await bench.protect(vault)
    let moved = try await move(vault, bench)
    #expect(moved.map(\.name) == ["me", "work"] && moved.allSatisfy(\.isSignedIn))
    #expect(try await vault.accounts().isEmpty)
    #expect(try SlotFile.accounts(in: await vault.directory) == [])
    #expect(try await vault.events().suffix(4).sorted() == moves("begun", "done"))
    #expect(try await vault.verifyAuditLog().isWhole)

    let sent = service.all[0].accounts
    #expect(!holds(sent, Array("rt-me".utf8)) && !holds(sent, Array("id.example.com".utf8)))
    let other = try Bench()
    let target = try await other.open()
    try await takeOver(service.all[0], target)
    let rows = try await target.accounts()
    #expect(rows.map(\.name) == ["me", "work"] && rows.map(\.isProtected) == [true, false])
    #expect(rows.allSatisfy { $0.state == .signedIn && !$0.exportable })
    #expect(try await target.chosenName() == "work")
    #expect(Array(try await target.events().suffix(2)) == moves("done"))
    #expect(try await target.sentToken("work", other).contains("rt-work"))
    // An empty vault has nothing to move, and asks no person.
    #expect(try await vault.moveToService(socket: nil, prompt: nil, caller: caller()).isEmpty)
  }

  @Test
  func aStaticSecretMovesWithItsEnd() async throws {
    let bench = try Bench()
    let service = ScriptedTransfer()
    let vault = try await bench.open(service: service)
    let end = bench.clock.wall.seconds + 600
    _ = try await vault.storeSecret(
      StaticSecret(secret: shared("pat-1"), username: "eve", expiresAt: end),
      account: "git",
      provider: try provider(["kind": "static"], name: "git.example.org"),
      caller: caller()
    )
    _ = try await move(vault, bench)
    let other = try Bench()
    let target = try await other.open()
    try await takeOver(service.all[0], target)
    let grant = try await target.token("git")
    #expect(grant.accessToken == "pat-1" && grant.expiresAt == end)
    #expect(try await target.accounts().map(\.subject) == ["eve"])
  }

  @Test
  func aKillBeforeTheServiceHasThemIsFinishedByTheSameCall() async throws {
    let bench = try Bench()
    let states = Mutex<[Bench]>([])
    let first = ScriptedTransfer { _ in
      if let state = try? bench.snapshot() { states.withLock { $0.append(state) } }
      return ScriptedTransfer.lost
    }
    let vault = try await bench.open(service: first)
    try await bench.signIn(vault, "me", refresh: "rt-me")
    _ = await failure { _ = try await move(vault, bench) }

    let killed = try #require(states.withLock { $0.first })
    killed.clock.advance(7200)
    let second = ScriptedTransfer()
    let again = try await killed.open(service: second)
    #expect(await isOpen(again))
    #expect(try await move(again, killed).map(\.name) == ["me"])
    #expect(second.all[0].transfer == first.all[0].transfer)
    #expect(try await again.accounts().isEmpty)
    try await again.demandUsable(forTransfer: false)
    #expect(try await again.verifyAuditLog().isWhole)
  }

  @Test
  func aLostAnswerLeavesNeitherTwoTokensThatRefreshNorNone() async throws {
    let bench = try Bench()
    let service = ScriptedTransfer { _ in ScriptedTransfer.lost }
    var vault: Vault? = try await bench.open(service: service)
    if let vault {
      try await bench.signIn(vault, "me", refresh: "rt-me")
      _ = await failure { _ = try await move(vault, bench) }
    }
    let other = try Bench()
    let target = try await other.open()
    try await takeOver(service.all[0], target)
    #expect(try await target.sentToken("me", other).contains("rt-me"))

    vault = nil
    bench.clock.advance(7200)
    let second = ScriptedTransfer()
    let again = try await bench.open(service: second)
    #expect(await isOpen(again))
    #expect(try await again.accounts().count == 1)
    _ = try await move(again, bench)
    let before = try await target.accounts()
    try await takeOver(second.all[0], target)
    #expect(try await target.accounts() == before)
    #expect(try await again.accounts().isEmpty)
  }

  @Test
  func aFailureThatTheServiceConfirmsLeavesAllAsItWas() async throws {
    let bench = try Bench()
    let service = ScriptedTransfer(isTaken: false) { _ in .refused("no room") }
    let vault = try await bench.open(service: service)
    try await bench.signIn(vault, "me", refresh: "rt-me")
    let before = try await vault.accounts()
    #expect(await failure { _ = try await move(vault, bench) } == .refused("no room"))
    #expect(try await vault.accounts() == before)
    #expect(try await vault.events().suffix(2) == ["account-moved begun", "account-moved refused"])
    #expect(try await vault.sentToken("me", bench).contains("rt-me"))
  }

  @Test
  func aFailureBeforeTheServiceCouldTakeThemNeedsNoAnswerUnlessATransferIsOpen() async throws {
    let bench = try Bench()
    let service = ScriptedTransfer(failsEarly: true) { _ in ScriptedTransfer.lost }
    var vault: Vault? = try await bench.open(service: service)
    if let vault {
      try await bench.signIn(vault, "me", refresh: "rt-me")
      #expect(await failure { _ = try await move(vault, bench) } == ScriptedTransfer.lost)
      #expect(try await vault.sentToken("me", bench).contains("rt-me"))
    }
    vault = nil
    var again: Vault? = try await bench.open(
      service: ScriptedTransfer { _ in ScriptedTransfer.lost }
    )
    if let again { _ = await failure { _ = try await move(again, bench) } }
    again = nil
    bench.clock.advance(7200)
    let last = try await bench.open(service: service)
    _ = await failure { _ = try await move(last, bench) }
    #expect(await isOpen(last))
  }

  @Test
  func aRefusalOfATransferThatTheServiceHasFinishesIt() async throws {
    let bench = try Bench()
    let service = ScriptedTransfer(isTaken: true) { _ in .refused("busy") }
    let vault = try await bench.open(service: service)
    try await bench.signIn(vault)
    #expect(try await move(vault, bench).map(\.name) == ["me"])
    #expect(try await vault.accounts().isEmpty)
  }

  @Test
  func aNameThatTheServiceHasIsRefusedBeforeAPersonIsAsked() async throws {
    let bench = try Bench()
    let service = ScriptedTransfer(names: ["other", "work"])
    let vault = try await bench.open(service: service)
    try await bench.signIn(vault, "me")
    try await bench.signIn(vault, "work")
    let refused = await failure {
      _ = try await vault.moveToService(socket: nil, prompt: nil, caller: caller())
    }
    #expect(refused == .namesInService(["work"]))
    #expect(service.all.isEmpty)
    try await vault.demandUsable(forTransfer: false)
  }

  @Test
  func onlyAPassedCheckOfItsOwnOpensTheTokens() async throws {
    let bench = try Bench()
    let service = ScriptedTransfer()
    let vault = try await bench.open(service: service)
    try await bench.signIn(vault)
    try await bench.protect(vault)
    try await bench.unlock(vault)
    let test = try await need { _ = try await vault.testPresence(prompt: nil, caller: caller()) }
    try await bench.pass(test, vault, caller())
    let refused = await failure {
      _ = try await vault.moveToService(socket: nil, prompt: test.prompt, caller: caller())
    }
    guard case .presenceFailed? = refused else {
      Issue.record("moved")
      return
    }
    #expect(service.all.isEmpty)
    #expect(try await vault.accounts().count == 1)
  }
}
