import BackupFormat
import Configuration
import PresenceTerms
import SecretMemory
import Storage
import System
import Testing

@testable import TokenVault

/// Backups, and their restore into another vault.
@Suite(.timeLimit(.minutes(10)))
struct BackupTests {
  @Test
  func anAccountWorksInAnotherVaultAsItDidBefore() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await makeSteady("me", vault, bench)
    try await bench.protect(vault)
    _ = try await vault.setDefault(account: "me", caller: caller())
    let parts = try await backup(vault, bench)
    #expect(
      parts.map(\.account) == [nil, BackedUpAccount(name: "me", provider: "dev", reason: nil)]
    )
    let file = parts.flatMap(\.bytes)
    #expect(!holds(file, Array("rt-me".utf8)) && !holds(file, Array("id.example.com".utf8)))
    #expect(Array(try await vault.events().suffix(2)) == ["backup done", "backup done"])
    #expect(try await vault.stateOfMe().state == .ready)

    let other = try Bench()
    let target = try await other.open()
    let restored = try await restore(file, target, other)
    #expect(restored.map(\.name) == ["me"] && restored[0].isSignedIn && !restored[0].exists)
    #expect(try await target.events().last == "account-restored done")
    let (before, after) = (try await vault.row(), try await target.row())
    #expect(after.isProtected && after.exportable && after.id != before.id)
    #expect(after.subject == before.subject && after.email == before.email)
    #expect(after.providerSettings == before.providerSettings)
    #expect(after.loginScope == before.loginScope && after.createdAt == before.createdAt)
    #expect(try await target.chosenName() == "me")
    #expect(try await target.sentToken("me", other).contains("rt-me"))
    #expect(try other.filesHolding([Array("rt-me".utf8)]) == [])
    #expect(try await target.verifyAuditLog().isWhole)
  }

  @Test
  func onlyTokensThatMayLeaveAndStayValidAreCarried() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await makeSteady("steady", vault, bench)
    try await bench.signIn(vault, "inside", refresh: "rt-inside")
    _ = try await bench.signInExportable(vault, "new", refresh: "rt-new")
    _ = try await bench.signInExportable(vault, "rotates", refresh: "rt-rotates")
    bench.clock.advance(7200)
    bench.exchange.plan(.tokens(access: "at-3", refresh: "rt-rotates-2"))
    _ = try await vault.token("rotates")
    _ = try await bench.signInExportable(
      vault,
      "strict",
      refresh: "rt-strict",
      settings: ["refresh_reuse": "revokes"]
    )
    try await bench.signIn(vault, "out", refresh: "rt-out")
    _ = try await vault.signOut(account: "out", local: true, caller: caller())

    let accounts = try await backup(vault, bench).compactMap(\.account)
    let reasons = Dictionary(uniqueKeysWithValues: accounts.map { ($0.name, $0.reason) })
    #expect(
      reasons == [
        "steady": nil, "inside": "it is not exportable", "out": "it is signed out",
        "new": "no refresh has shown yet whether its provider replaces refresh tokens",
        "rotates": "its provider replaces refresh tokens",
        "strict": "its provider replaces refresh tokens",
      ]
    )
    let file = try await backup(vault, bench).flatMap(\.bytes)
    let other = try Bench()
    var target: Vault? = try await other.open()
    if let target { _ = try await restore(file, target, other) }
    target = nil
    // A restart removes nothing of them.
    let again = try await other.open()
    let rows = try await again.accounts()
    #expect(rows.count == 6)
    for row in rows {
      #expect((row.sealedRefreshToken != nil) == (row.name == "steady"))
      #expect(row.state == (row.name == "steady" ? .signedIn : .signedOut))
      #expect(row.exportable == ["steady", "new", "rotates", "strict"].contains(row.name))
    }
    // An account without its token signs in again under the same name.
    #expect(try await other.signIn(again, "inside", refresh: "rt-x").state == .ready)
  }

  @Test
  func aPolicyThatKeepsTokensInsideIsObeyed() async throws {
    let administrator = Administrator()
    let bench = try Bench()
    let vault = try await bench.open(rules: administrator)
    try await makeSteady("me", vault, bench)
    administrator.write("[Policy]\nexportable = never\n")
    let accounts = try await backup(vault, bench).compactMap(\.account)
    #expect(accounts.count == 1)
    #expect(accounts[0].reason?.hasPrefix("no refresh token may leave the vault") == true)
  }

  @Test
  func nothingComesOutWithoutThePassword() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await makeSteady("me", vault, bench)
    try await bench.enroll(vault)
    try await bench.unlock(vault)
    let test = try await need { _ = try await vault.testPresence(prompt: nil, caller: caller()) }
    try await bench.pass(test, vault, caller())
    let open = try await need {
      _ = try await vault.backup(
        header: Self.header,
        try key(),
        prompt: nil,
        caller: caller()
      )
    }
    for (prompt, asker) in [
      (open.prompt, caller()), (open.prompt, caller(2)), (test.prompt, caller()),
    ] {
      guard
        case .presenceFailed? = await failure({
          _ = try await vault.backup(header: Self.header, try key(), prompt: prompt, caller: asker)
        })
      else {
        Issue.record("backed up")
        return
      }
    }
    #expect(try await !vault.events().contains("backup done"))
  }

  @Test
  func aBackupThatWasChangedAnywhereRestoresNothing() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await makeSteady("me", vault, bench)
    try await bench.signIn(vault, "work", refresh: "rt-work")
    let parts = try await backup(vault, bench).map(\.bytes)
    let file = parts.flatMap { $0 }
    let other = try Bench()
    let target = try await other.open()
    var changed = (0..<file.count * 8).map { bit in
      var bytes = file
      bytes[bit / 8] ^= 1 << (bit % 8)
      return bytes
    }
    changed += (0..<file.count).map { Array(file.prefix($0)) }
    changed += [
      file + [0], file + parts[2], parts[0] + parts[2] + parts[1], parts[0] + parts[1],
      parts[0] + parts[1] + parts[1], parts[0],
    ]
    let before = try other.scratch.files()
    for bytes in changed {
      guard case .invalidArgument? = await failure({ _ = try await restore(bytes, target, other) })
      else {
        Issue.record("a changed backup was restored")
        return
      }
    }
    #expect(try await target.accounts().isEmpty)
    #expect(try other.scratch.files() == before)
    #expect(try await restore(file, target, other).count == 2)
  }

  @Test
  func boxesOfTwoBackupsUnderOneKeyDoNotMix() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await makeSteady("me", vault, bench)
    let first = try await backup(vault, bench).map(\.bytes)
    let salt = BackupHeader(.passphrase(.standard), salt: [UInt8](1...16)).encoded
    let second = try await backup(vault, bench, header: salt).map(\.bytes)
    let target = try await Bench().open()
    let mixed = first[0] + second[1]
    guard case .invalidArgument? = await failure({ _ = try await restore(mixed, target, bench) })
    else {
      Issue.record("mixed")
      return
    }
  }

  @Test
  func anotherKeyOrKindDoesNotOpenIt() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await makeSteady("me", vault, bench)
    let file = try await backup(vault, bench).flatMap(\.bytes)
    let target = try await Bench().open()
    let code = BackupSecret.code(shared("000G-40R4-0M30-E209-185G-R38E-1W81-24GK-B9"))
    for (secret, words) in [(try key(8), "does not open"), (code, "opens with its passphrase")] {
      guard
        case .invalidArgument(let why)? = await failure({
          _ = try await restore(file, target, bench, secret)
        })
      else {
        Issue.record("opened")
        return
      }
      #expect(why.contains(words))
    }
  }
}
