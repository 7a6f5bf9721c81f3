import MachineKey
import ScriptedTPM
import SecretMemory
import Storage
import System
import TestSupport

@testable import TokenVault

/// A machine key with a directory, and the TPM's counter as an engine that has just started uses
/// it.
struct CounterRig {
  let bench: Bench
  let tpm = ScriptedTPM()
  let parentName: [UInt8]

  init() throws {
    bench = try Bench()
    // The tests define the counter themselves.
    tpm.limitCounters(to: 0)
    try bench.slots(tpm).make(recovery: try Bench.code())
    tpm.limitCounters(to: 25)
    let secret = SharedSecret(try SecretBytes(copying: [UInt8](repeating: 1, count: 32)))
    parentName = try tpm.seal(secret, authorization: secret).parentName
  }

  /// The counter, with nothing known from before.
  func counter() throws -> MachineCounter {
    let slots = try bench.slots(tpm)
    _ = try slots.key()
    let (key, identifier) = try slots.openedKey()
    return MachineCounter(try directory(), tpm, key, identifier: identifier)
  }

  /// Defines a counter, as an engine that lives.
  func defined() throws -> CounterLedger {
    let counter = try counter()
    let ledger = try counter.define(parentName: parentName)
    counter.finishDefinition(ledger)
    return ledger
  }

  var ledgerPath: String { bench.scratch.path + "/machine-key/ledger" }

  func ledger() throws -> [UInt8]? { try directory().ledger() }

  func directory() throws -> MachineKeyDirectory {
    try MachineKeyDirectory(in: try Directory.make(path: bench.scratch.path))
  }

  /// Puts a copy of the ledger in its place.
  func put(_ ledger: [UInt8]) throws {
    try run("/bin/rm", ["-f", ledgerPath])
    let file = try Directory(path: bench.scratch.path + "/machine-key").create("ledger")
    try file.write(ledger)
  }

  /// Whether the next ledger can be written.
  func blockLedger(_ isBlocked: Bool) throws {
    try run(isBlocked ? "/bin/mkdir" : "/bin/rmdir", [ledgerPath + ".new"])
  }
}
