import MachineKey
import ScriptedTPM
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// Slots' files that another program or another copy of the directory has left.
@Suite(.timeLimit(.minutes(10)))
struct MachineKeyFileTests {
  private let tpm = ScriptedTPM()

  private func made() throws -> Bench {
    let bench = try Bench()
    try bench.slots(tpm).make(recovery: try Bench.code())
    return bench
  }

  private func names(_ slots: MachineKeySlots, _ kind: MachineKeySlot.Kind) throws -> [String] {
    try slots.facts().slots.filter { $0.kind == kind }.map(\.identifier)
  }

  private func failing(_ body: () throws -> Void) -> VaultFailure? {
    do {
      try body()
      return nil
    } catch {
      return error as? VaultFailure
    }
  }

  @Test
  func slotsOfAnotherMachineKeyNeitherComeFirstNorCount() throws {
    let bench = try made()
    let own = try bench.slots(tpm).facts().slots.map(\.identifier)
    for _ in 0..<5 {
      let foreign = try made()
      for name in try foreign.scratch.files().keys where name.contains("/slot-") {
        try run("/bin/cp", ["-p", "\(foreign.scratch.path)/\(name)", "\(bench.scratch.path)/\(name)"])
      }
    }
    // The same TPM and code open all of them.
    #expect(try bench.slots(tpm).facts().slots.count == 12)
    for slots in [try bench.slots(tpm), try bench.slots(NoTPM())] {
      _ = try? slots.key()
      if slots.opened == nil { _ = try slots.recover(with: try Bench.code()) }
      #expect(slots.isAdding)
    }
    let slots = try bench.slots(tpm)
    _ = try slots.key()
    for slot in own {
      guard case .refused? = (failing { try slots.remove(slot) }) else {
        Issue.record("\(slot) is removed")
        continue
      }
    }
    for slot in try names(slots, .tpm) where !own.contains(slot) { try slots.remove(slot) }
    #expect(try names(slots, .tpm).count == 1)
  }
}
