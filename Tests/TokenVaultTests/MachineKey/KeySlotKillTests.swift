import MachineKey
import ScriptedTPM
import SecretMemory
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// The addition of a security key is stopped at each of its system calls.
///
/// Then the vault is unchanged, or the addition continues.
@Suite(.timeLimit(.minutes(30)))
struct KeySlotKillTests {
  /// The key that the stopped process has used.
  private let key = ScriptedKey(credentials: [[1, 0]])

  /// Whether the machine key was made.
  private func judge(_ bench: Bench, _ lines: [String], _ old: [[UInt8]]) async throws -> Bool {
    let slots = try bench.slots(NoTPM(), keys: key)
    #expect(try bench.scratch.files().keys.allSatisfy { !$0.hasPrefix("machine-key.new") })
    let isMade = slots.isClosed
    if isMade { try slots.openByKey(pin: nil, SecurityKeyWait()) {} }
    var vault: Vault? = try await bench.open(slots: slots)
    if let vault {
      #expect(await vault.freshness == .current)
      if lines.contains("done") { #expect(isMade && !slots.isAdding) }
      #expect(try await vault.sentToken("me", bench).contains("rt-1"))
      #expect(try await vault.verifyAuditLog().isWhole)
      // The addition continues, or begins again.
      if !isMade {
        let made = try slots.makeKeySecret(pin: nil, SecurityKeyWait()) {}
        try slots.make(recovery: try Bench.code(), by: made)
      }
      try slots.list([ThisProcess.user])
      try await vault.adoptMachineKey(caller: caller())
      #expect(!slots.isAdding)
      #expect(try bench.filesHolding(old) == [])
    }
    vault = nil
    #expect(try await bench.refusal(with: NoTPM()) != nil)
    let next = try bench.slots(NoTPM(), keys: key)
    try next.openByKey(pin: nil, SecurityKeyWait()) {}
    #expect(await (try bench.open(slots: next)).freshness == .current)
    return isMade
  }

  @Test(arguments: [
    ("write", StoppedProgram.Injection.kill), ("pwrite64", .kill), ("fsync", .kill),
    ("fdatasync", .kill), ("mkdirat", .kill), ("unlinkat", .kill), ("renameat", .kill),
    ("write", .noSpace), ("fsync", .ioError), ("renameat", .ioError),
  ])
  func aStopAtAnyCallResumesOrIsAsBefore(
    _ call: String,
    _ injection: StoppedProgram.Injection
  ) async throws {
    let made = try Bench()
    try await made.makeVault()
    let old = try await made.sealedBytes()
    let (stops, outcomes) = try await Writer.stopped(
      .adoptByKey,
      of: made,
      at: call,
      injection
    ) { bench, lines in
      try await judge(bench, lines, old)
    }
    // Control: the injection hits the writer.
    if call != "unlinkat" { #expect(stops > 0) }
    if ["fsync", "renameat"].contains(call) { #expect(outcomes == [true, false]) }
  }
}
