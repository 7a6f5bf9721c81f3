import Cryptography
import Presence
import PresenceTerms
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// A new device secret: everything opens under it, and nothing is left of the old one.
@Suite(.timeLimit(.minutes(10)))
struct RekeyTests {
  @Test
  func everythingOpensUnderTheNewSecretAndNothingIsLeftOfTheOldOne() async throws {
    let bench = try Bench()
    try await bench.makeVault()
    let old = try await bench.sealedBytes()
    #expect(old.count == 4)
    // Control: the search finds an existing text.
    #expect(try bench.filesHolding(old).contains("device-secret"))
    #expect(try bench.filesHolding(Array(old.dropLast())) != [])
    var vault: Vault? = try await bench.open()
    if let vault {
      let before = try await vault.events().count
      let facts = try await bench.rekey(vault)
      #expect(facts == RekeyFacts(accounts: 2, prints: 1, records: before + 2))
      // With the engine still open: the log contains nothing of it either.
      #expect(try bench.filesHolding(old) == [])
      #expect(try bench.scratch.files()["device-secret.next"] == nil)
      #expect(try await vault.sentToken("me", bench).contains("rt-1"))
      #expect(try await vault.sentToken("work", bench).contains("rt-work"))
      let standing = try await vault.fingerEligibility(for: caller())
      #expect(standing.prints.map(\.finger) == ["right-index"] && standing.change == nil)
    }
    vault = nil
    #expect(try bench.filesHolding(old) == [])
    let next = try await bench.open()
    #expect(try await next.sentToken("work", bench).contains("rt-work"))
    let standing = try await next.fingerEligibility(for: caller())
    #expect(standing.prints.count == 1 && standing.change == nil)
    #expect(try await next.events().contains("rekey done"))
    #expect(try await next.verifyAuditLog().isWhole)
    try await bench.rekey(next)
    #expect(try await next.verifyAuditLog().isWhole)
    #expect(try await next.sentToken("me", bench).contains("rt-1"))
  }

  @Test
  func itNeedsThePasswordAndNoProofOfAnotherPurposeIsTaken() async throws {
    let bench = try Bench()
    try await bench.makeVault()
    let vault = try await bench.open()
    let secret = try bench.scratch.files()["device-secret"]
    try await bench.unlock(vault)
    let other = try await need {
      _ = try await vault.testPresence(prompt: nil, caller: caller())
    }
    try await bench.pass(other, vault, caller())
    for prompt in [other.prompt, "0123"] {
      let failure = await failure {
        _ = try await vault.rekey(prompt: prompt, caller: caller())
      }
      guard case .presenceFailed? = failure else {
        Issue.record("\(String(describing: failure))")
        continue
      }
    }
    // A fingerprint cannot even be tried.
    let need = try await need { _ = try await vault.rekey(prompt: nil, caller: caller()) }
    bench.check.plan([.matched])
    _ = await failure {
      _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller()) { _ in }
    }
    _ = await failure { _ = try await vault.rekey(prompt: need.prompt, caller: caller()) }
    #expect(try bench.scratch.files()["device-secret"] == secret)
    #expect(try await vault.events().allSatisfy { $0 != "rekey done" })
  }

  @Test
  func anEditedAuditLogIsNotRepaired() async throws {
    for edit in ["altered", "dropped", "cut at the end"] {
      let bench = try Bench()
      try await bench.makeVault()
      try await bench.withStore { store in
        let row = try #require(try store.audit().dropFirst().first)
        let tail = try #require(try store.auditTail())
        let rest = try store.audit(after: 3)
        try store.transaction {
          switch edit {
          case "altered":
            try store.setAuditCode([UInt8](repeating: 7, count: 32), of: row.number)
          case "dropped":
            _ = try store.deleteAudit(through: tail.number)
            for row in rest { try store.append(row) }
          default:
            _ = try store.deleteAudit(through: tail.number)
            for row in rest.dropLast(2) { try store.append(row) }
          }
        }
      }
      let vault = try await bench.open()
      #expect(try await !vault.verifyAuditLog().isWhole)
      try await bench.rekey(vault)
      // The new keys confirm the records and the fact that the log was not intact.
      #expect(try await !vault.verifyAuditLog().isWhole, "\(edit)")
      #expect(try await vault.sentToken("me", bench).contains("rt-1"))
    }
  }

  @Test
  func aBoxThatDoesNotOpenStopsItAndChangesNothing() async throws {
    let bench = try Bench()
    try await bench.makeVault()
    try await bench.withStore { store in
      var row = try #require(try store.allAccounts().last)
      let end = try #require(row.sealedRefreshToken).count - 1
      row.sealedRefreshToken?[end] ^= 1
      let damaged = row
      try store.transaction { try store.update(damaged) }
    }
    let vault = try await bench.open()
    let secret = try #require(try bench.scratch.files()["device-secret"])
    let rows = try await vault.inspect { try $0.allAccounts() }
    guard case .vaultUnsafe? = await failure({ _ = try await bench.rekey(vault) }) else {
      Issue.record("not refused")
      return
    }
    #expect(try await vault.inspect { try $0.allAccounts() } == rows)
    #expect(try bench.scratch.files()["device-secret"] == secret)
    #expect(try bench.scratch.files()["device-secret.next"] == nil)
  }

  @Test
  func itWaitsForARefreshThatIsUnderWayAndLosesNothing() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault, lifetime: 1)
    bench.clock.advance(60)
    bench.exchange.hold()
    let refresh = await vault.tokens(1...1)
    await bench.exchange.untilRequested(2)
    let need = try await need { _ = try await vault.rekey(prompt: nil, caller: caller()) }
    try await bench.pass(need, vault, caller())
    let rekey = Task { try await vault.rekey(prompt: need.prompt, caller: caller()) }
    await vault.barrier()
    #expect(try bench.scratch.files()["device-secret.next"] == nil)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await refresh[0].value.get().accessToken == "at-2")
    #expect(try await rekey.value.accounts == 1)
    #expect(try await vault.row().generation == 2)
    bench.clock.advance(7200)
    bench.exchange.plan(.tokens(access: "at-3", refresh: "rt-3"))
    #expect(try await vault.token().accessToken == "at-3")
    #expect(bench.exchange.refreshes.last?.contains("rt-2") == true)
  }

  @Test
  func anAnswerThatAnEngineLeftBehindIsTakenFirst() async throws {
    let bench = try Bench()
    var vault: Vault? = try await bench.open()
    if let vault { try await bench.signIn(vault, lifetime: 1) }
    bench.clock.advance(60)
    let killed = Box<Bench>()
    bench.exchange.observe { stage in if stage == "written" { killed.put(try? bench.snapshot()) } }
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    _ = try await vault?.token()
    vault = nil
    let next = try #require(killed.value)
    let reopened = try await next.open()
    try await next.rekey(reopened)
    #expect(try await reopened.row().generation == 2)
    #expect(try await reopened.token().accessToken == "at-2")
    let slot = try await reopened.slot()
    #expect(slot.allSatisfy { $0 == 0 })
  }

  @Test
  func aDeviceSecretOfAnotherStoreIsRefusedAndNothingIsChanged() async throws {
    let bench = try Bench()
    try await bench.makeVault()
    let backup = try bench.snapshot()
    try await bench.open().rekeyed(bench)
    // The old store with the new secret, and the new store with the old secret.
    for (name, from, into) in [
      ("device-secret", backup, try bench.snapshot()), ("vault.db", backup, try bench.snapshot()),
    ] {
      try run("/bin/cp", ["-a", from.scratch.path + "/" + name, into.scratch.path + "/" + name])
      let before = try into.scratch.files()
      let failure = await failure { _ = try await into.open() }
      guard case .vaultUnsafe(let message, let hint)? = failure else {
        Issue.record("\(name): \(String(describing: failure))")
        continue
      }
      #expect(message == "the device secret is not the one of this store")
      #expect(hint != nil)
      #expect(try into.scratch.files() == before)
    }
  }
}

extension Vault {
  fileprivate func rekeyed(_ bench: Bench) async throws {
    try await bench.rekey(self)
  }
}
