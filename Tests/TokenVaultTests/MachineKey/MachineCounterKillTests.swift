import MachineKey
import ScriptedTPM
import Storage
import TestSupport
import Testing

@testable import TokenVault

/// A change of a vault, with the increment of the TPM's counter after it, is stopped at each system
/// call.
@Suite(.timeLimit(.minutes(30)))
struct MachineCounterKillTests {
  private static let names = [
    "vault.db", "vault.db-wal", "device-secret", "device-secret.next", "rollback-counter", "slots",
    "tokens", "machine-key",
  ]

  @Test(arguments: [
    ("write", StoppedProgram.Injection.kill), ("pwrite64", .kill), ("fsync", .kill),
    ("fdatasync", .kill), ("renameat", .kill), ("unlinkat", .kill), ("openat", .kill),
    ("fsync", .ioError), ("renameat", .ioError), ("write", .noSpace),
  ])
  func noStopIsAFalseAlarmAndNoFinishedIncrementIsMissed(
    _ call: String,
    _ injection: StoppedProgram.Injection
  ) async throws {
    let made = try Bench()
    try await made.makeVault()
    try await made.addTPM(ScriptedTPM(keptIn: made.scratch.base))
    var (stops, detected) = (0, 0)
    while true {
      let bench = try made.snapshot()
      try run("/bin/cp", [made.scratch.base + "/counters", bench.scratch.base + "/counters"])
      let lines = try Writer(bench, .rekey).stopped(at: call, stops + 1, injection)
      let tpm = ScriptedTPM(keptIn: bench.scratch.base)
      #expect(await (try bench.open(with: tpm)).freshness == .current, "\(call) \(stops + 1)")
      try bench.put(Self.names, from: made)
      let copy = await (try bench.open(with: tpm)).freshness
      if copy == .directoryOlder { detected += 1 } else { #expect(copy == .current) }
      if lines?.contains("done") ?? true, injection == .kill { #expect(copy == .directoryOlder) }
      guard lines != nil else { break }
      stops += 1
    }
    #expect(stops > 0 && detected > 0, "\(stops) stops, \(detected) copies detected")
  }
}
