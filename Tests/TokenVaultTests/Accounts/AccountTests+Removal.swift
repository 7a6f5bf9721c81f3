import JSON
import Presence
import System
import TestSupport
import Testing

@testable import TokenVault

/// The removal of an account.
extension AccountTests {
  @Test(arguments: [true, false])
  func aRemovedAccountLeavesOnlyItsNameInTheAuditLog(_ local: Bool) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.signIn(vault, "work", refresh: "rt-w", access: "at-w")
    let asked = bench.exchange.requests.count
    if !local { bench.exchange.plan(.answer(status: 200, body: "{}")) }
    let answer = try await vault.remove(account: "me", local: local, caller: caller())
    #expect(answer.revoked == !local)
    #expect((answer.reason == nil) == !local)
    #expect(bench.exchange.requests.count == asked + (local ? 0 : 1))
    #expect(try await vault.accountFacts(named: nil).map(\.name) == ["work"])
    #expect(await failure { _ = try await vault.token("me") } == .noSuchAccount("me"))
    #expect(try names(bench, in: "slots").count == 1)
    #expect(try await vault.frontsDefault() == "work")
    let last = try #require(try await vault.auditPage(after: 0, since: nil, account: nil).last)
    #expect(last.event == "account-removed" && last.account == "me")
    for (name, bytes) in try bench.scratch.files() {
      #expect(!contains(bytes, "at-1") && !contains(bytes, "rt-1"), "\(name)")
    }
    // The name is free, and a new account of that name has nothing of the old one.
    #expect(try await bench.signIn(vault, refresh: "rt-9", access: "at-9").isProtected == false)
  }

  @Test
  func aKillInARemovalLeavesTheWholeAccountOrNone() async throws {
    let bench = try Bench()
    var vault: Vault? = try await bench.open()
    try await bench.signIn(try #require(vault))
    let before = try bench.snapshot()
    _ = try await vault?.remove(account: "me", local: true, caller: caller())
    let after = try bench.snapshot()
    vault = nil
    // Killed before the commit: the front's files are gone, the account is whole.
    let early = try before.snapshot()
    try run("/bin/sh", ["-c", "rm \(early.scratch.path)/tokens/*"])
    let whole = try await early.open()
    #expect(try await whole.token(nil).accessToken == "at-1")
    #expect(try await whole.cachedToken() == "at-1")
    #expect(try await whole.frontsDefault() == "me")
    // Killed after the commit: the slot is still there, and a token file that a slow disk kept.
    try run("/bin/sh", ["-c", "cp -a \(before.scratch.path)/slots/* \(after.scratch.path)/slots/"])
    try run(
      "/bin/sh",
      ["-c", "cp -a \(before.scratch.path)/tokens/* \(after.scratch.path)/tokens/"]
    )
    let none = try await after.open()
    #expect(try await none.accountFacts(named: nil).isEmpty)
    #expect(try names(after, in: "slots") == [])
    #expect(try names(after, in: "tokens") == [])
  }

  @Test
  func aSlotThatAnExchangeHelperStillHoldsStaysUntilTheNextStart() async throws {
    let bench = try Bench()
    var vault: Vault? = try await bench.open()
    try await bench.signIn(try #require(vault))
    vault = nil
    let orphan = String(repeating: "ab", count: 16)
    let path = bench.scratch.path + "/slots/" + orphan
    try run("/bin/sh", ["-c", "umask 077; head -c 65536 /dev/zero >\(path)"])
    let held = try Directory(path: bench.scratch.path + "/slots").openForWriting(orphan)
    #expect(try held.lockExclusively())
    vault = try await bench.open()
    #expect(try await vault?.token().accessToken == "at-1")
    #expect(try names(bench, in: "slots").contains(orphan))
    vault = nil
    _ = consume held
    vault = try await bench.open()
    #expect(try await vault?.token().accessToken == "at-1")
    #expect(try !names(bench, in: "slots").contains(orphan))
  }

  @Test
  func anAccountWithoutItsSlotCanStillBeRemoved() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try run("/bin/sh", ["-c", "rm \(bench.scratch.path)/slots/*"])
    _ = try await vault.remove(account: "me", local: true, caller: caller())
    #expect(try await vault.accountFacts(named: nil).isEmpty)
  }

  @Test
  func aWindowForARemovedAccountIsNotOneForAll() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.signIn(vault, "work", refresh: "rt-w", access: "at-w")
    try await bench.protect(vault)
    try await bench.unlock(vault, ["me"])
    #expect(try await vault.facts().unlockedAccounts == ["me"])
    let need = try await need {
      _ = try await vault.remove(account: "me", local: true, caller: caller())
    }
    try await bench.pass(need, vault, caller())
    _ = try await vault.remove(account: "me", local: true, prompt: need.prompt, caller: caller())
    #expect(try await vault.facts().unlockedFor == nil)
  }

  private func names(_ bench: Bench, in folder: String) throws -> [String] {
    try Directory(path: bench.scratch.path + "/" + folder).names()
  }

  func contains(_ bytes: [UInt8], _ text: String) -> Bool {
    let wanted = Array(text.utf8)
    guard bytes.count >= wanted.count else { return false }
    return bytes.indices.dropLast(wanted.count - 1).contains { bytes[$0...].starts(with: wanted) }
  }
}
