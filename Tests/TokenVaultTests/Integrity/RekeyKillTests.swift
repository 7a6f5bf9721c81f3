import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// A rekey is stopped at each of its system calls, by a kill or an error of the kernel.
///
/// Then the vault is opened again. Everything opens, under the old secret or the new one, and
/// nothing is left of the other.
@Suite(.timeLimit(.minutes(30)))
struct RekeyKillTests {
  private func judge(_ bench: Bench, _ lines: [String], _ old: [[UInt8]]) async throws {
    let secret = try #require(old.last)
    var vault: Vault? = try await bench.open()
    if let vault {
      #expect(await vault.freshness == .current)
      let files = try bench.scratch.files()
      #expect(files["device-secret.next"] == nil)
      if files["device-secret"] == secret {
        #expect(!lines.contains("done"))
      } else {
        #expect(try bench.filesHolding(old) == [])
      }
      #expect(try await vault.sentToken("me", bench).contains("rt-1"))
      #expect(try await vault.sentToken("work", bench).contains("rt-work"))
      let standing = try await vault.fingerEligibility(for: caller())
      #expect(standing.prints.count == 1 && standing.change == nil)
      #expect(try await vault.verifyAuditLog().isWhole)
      // The next rekey works, too.
      try await bench.rekey(vault)
      #expect(try bench.filesHolding(old) == [])
    }
    vault = nil
    #expect(try await bench.open().freshness == .current)
  }

  @Test(arguments: [
    ("write", StoppedProgram.Injection.kill), ("pwrite64", .kill), ("fsync", .kill),
    ("fdatasync", .kill),
    ("ftruncate", .kill), ("unlinkat", .kill), ("renameat", .kill), ("openat2", .kill),
    ("pwrite64", .noSpace), ("write", .noSpace), ("fsync", .ioError), ("fdatasync", .ioError),
    ("renameat", .ioError), ("ftruncate", .ioError),
  ])
  func aStopAtAnyCallLosesNothingAndLeavesNothing(
    _ call: String,
    _ injection: StoppedProgram.Injection
  ) async throws {
    let made = try Bench()
    try await made.makeVault()
    let old = try await made.sealedBytes()
    var stops = 0
    while true {
      let bench = try made.snapshot()
      guard let lines = try Writer(bench).stopped(at: call, stops + 1, injection) else {
        // Without a stop the rekey is complete.
        #expect(try bench.filesHolding(old) == [])
        break
      }
      stops += 1
      try await judge(bench, lines, old)
    }
    // Control: the injection hits the writer.
    if call != "unlinkat" { #expect(stops > 0) }
  }
}
