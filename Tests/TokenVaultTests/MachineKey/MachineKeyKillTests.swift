import MachineKey
import ScriptedTPM
import SecretMemory
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// The addition of the machine key is stopped at each of its system calls.
///
/// Then the vault is unchanged, or the addition continues.
@Suite(.timeLimit(.minutes(30)))
struct MachineKeyKillTests {
  private func judge(_ bench: Bench, _ lines: [String], _ old: [[UInt8]]) async throws {
    let tpm = ScriptedTPM(keptIn: bench.scratch.base)
    let slots = try bench.slots(tpm)
    #expect(try bench.scratch.files().keys.allSatisfy { !$0.hasPrefix("machine-key.new") })
    // A counter is in the ledger, or the next engine removes it.
    try slots.removeUnfinishedCounter()
    #expect(!slots.hasUnfinishedCounter)
    let hasLedger = try bench.scratch.files()["machine-key/ledger"] != nil
    #expect(tpm.counters == (hasLedger ? 1 : 0))
    let isMade = try slots.key() != nil
    var vault: Vault? = try await bench.open(slots: slots)
    if let vault {
      #expect(await vault.freshness == .current)
      #expect(try bench.scratch.files()["device-secret.next"] == nil)
      if lines.contains("done") { #expect(!slots.isAdding) }
      #expect(try await vault.sentToken("me", bench).contains("rt-1"))
      #expect(try await vault.sentToken("work", bench).contains("rt-work"))
      #expect(try await vault.fingerEligibility(for: caller()).prints.count == 1)
      #expect(try await vault.verifyAuditLog().isWhole)
      // The addition continues, or begins again.
      if !isMade { try slots.make(recovery: try Bench.code()) }
      try slots.list([ThisProcess.user])
      try await vault.adoptMachineKey(caller: caller())
      #expect(!slots.isAdding)
      #expect(try bench.filesHolding(old) == [])
    }
    vault = nil
    #expect(await (try bench.open(with: tpm)).freshness == .current)
    #expect(try await bench.refusal(with: NoTPM()) != nil)
    #expect(try await bench.refusal(with: NoTPM()) != nil)
    let code = try bench.slots(NoTPM())
    _ = try code.recover(with: try Bench.code())
    #expect(await (try bench.open(slots: code)).freshness == .current)
  }

  /// An old copy is refused as soon as the vault is under the machine key, whether that is recorded
  /// or not.
  ///
  /// - Returns: whether the vault was under the machine key.
  private func judgeOldCopy(_ stopped: Bench, _ made: Bench) async throws -> Bool {
    let tpm = ScriptedTPM(keptIn: stopped.scratch.base)
    guard try stopped.slots(tpm).key() != nil,
      await (try stopped.snapshot().open(with: tpm)).storeState.isUnderMachineKey
    else { return false }
    let bench = try stopped.snapshot()
    let names = [
      "vault.db", "vault.db-wal", "device-secret", "device-secret.next", "rollback-counter",
      "slots",
    ]
    try bench.put(names, from: made)
    #expect(await (try bench.open(with: tpm)).freshness == .beforeMachineKey)
    return true
  }

  @Test(arguments: [
    ("write", StoppedProgram.Injection.kill), ("pwrite64", .kill), ("fsync", .kill),
    ("fdatasync", .kill), ("mkdirat", .kill), ("unlinkat", .kill), ("renameat", .kill),
    ("write", .noSpace), ("mkdirat", .noSpace), ("fsync", .ioError), ("renameat", .ioError),
    ("pwrite64", .noSpace),
  ])
  func aStopAtAnyCallResumesOrIsAsBefore(
    _ call: String,
    _ injection: StoppedProgram.Injection
  ) async throws {
    let made = try Bench()
    try await made.makeVault()
    let old = try await made.sealedBytes()
    var stops = 0
    var adopted = 0
    while true {
      let bench = try made.snapshot()
      guard let lines = try Writer(bench, .adopt).stopped(at: call, stops + 1, injection) else {
        #expect(try bench.filesHolding(old) == [])
        break
      }
      stops += 1
      if try await judgeOldCopy(bench, made) { adopted += 1 }
      try await judge(bench, lines, old)
    }
    // Control: the injection hits the writer.
    if call != "unlinkat" { #expect(stops > 0) }
    if ["fsync", "renameat"].contains(call) { #expect(adopted > 0) }
  }
}
