import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// A restore is stopped at each of its system calls.
///
/// The vault has all accounts of the backup or none of them, and its own account is unchanged.
@Suite(.timeLimit(.minutes(30)))
struct RestoreKillTests {
  /// Whether the accounts of the backup are there.
  private func judge(_ bench: Bench, _ lines: [String]) async throws -> Bool {
    let vault = try await bench.open()
    #expect(await vault.freshness == .current)
    let names = try await vault.accounts().map(\.name)
    let isRestored = names == ["here", "me", "work"]
    #expect(isRestored || names == ["here"])
    if lines.contains("done") { #expect(isRestored) }
    #expect(try await vault.verifyAuditLog().isWhole)
    for name in names {
      #expect(try await vault.sentToken(name, bench).contains("rt-\(name)"))
    }
    return isRestored
  }

  @Test(arguments: [
    ("write", StoppedProgram.Injection.kill), ("pwrite64", .kill), ("fsync", .kill),
    ("fdatasync", .kill), ("pwrite64", .noSpace), ("write", .noSpace), ("fdatasync", .ioError),
  ])
  func aStopAtAnyCallLeavesAllAccountsOrNone(
    _ call: String,
    _ injection: StoppedProgram.Injection
  ) async throws {
    let source = try Bench()
    let vault = try await source.open()
    let backups = BackupTests()
    for name in ["me", "work"] { try await backups.makeSteady(name, vault, source) }
    let file = try await backups.backup(vault, source).flatMap(\.bytes)
    let made = try Bench()
    try await made.signIn(try await made.open(), "here", refresh: "rt-here")
    let (stops, outcomes) = try await Writer.stopped(.restore, of: made, at: call, injection) {
      try Directory(path: $0.scratch.base).create("backup").write(file)
    } judge: {
      try await judge($0, $1)
    }
    #expect(outcomes.contains(true))
    // Control: the injection hits the writer.
    #expect(stops > 0)
  }
}
