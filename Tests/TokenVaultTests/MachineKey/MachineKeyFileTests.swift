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
      for slot in try foreign.slots(tpm).facts().slots.map(\.identifier) {
        let name = "/machine-key/slot-\(slot)"
        try run("/bin/cp", ["-p", foreign.scratch.path + name, bench.scratch.path + name])
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

  @Test
  func anEmptyVaultWithoutItsMachineKeyIsNotMadeAgainInTheFileTier() async throws {
    let bench = try made()
    var vault: Vault? = try await bench.open(with: tpm)
    try await vault?.recordSlotChange("a record", isByCode: true, caller: caller())
    vault = nil
    try run("/bin/mv", [bench.scratch.path + "/machine-key", bench.scratch.base + "/away"])
    guard case .vaultUnsafe? = try await bench.refusal(with: tpm) else {
      Issue.record("the vault is opened without its machine key")
      return
    }
    try run("/bin/mv", [bench.scratch.base + "/away", bench.scratch.path + "/machine-key"])
    #expect(try await bench.refusal(with: tpm) == nil)
  }

  @Test
  func aSlotsFileThatCannotBeReadDoesNotCloseTheOthers() throws {
    let bench = try made()
    let folder = bench.scratch.path + "/machine-key/slot-"
    let recovery = try #require(try names(try bench.slots(tpm), .recovery).first)
    try run("/bin/chmod", ["644", folder + recovery])
    try run("/bin/mkdir", [folder + "0000000000000000"])
    try run("/usr/bin/truncate", ["-s", "5000", folder + "ffffffffffffffff"])
    let slots = try bench.slots(tpm)
    #expect(try slots.key() != nil)
    let problems = try slots.facts().slots.filter { $0.kind == nil }.compactMap(\.problem)
    #expect(problems.count == 3 && problems.allSatisfy { !$0.isEmpty })
    // A code is a slot only if it can be read.
    guard case .refused? = (failing { try slots.remove(recovery) }) else {
      Issue.record("the last code is removed")
      return
    }
  }

  /// A kill before the rename leaves a slot that opens the machine key, and that no list shows.
  @Test
  func aSlotWhoseAdditionWasInterruptedIsRemoved() throws {
    let bench = try made()
    let folder = bench.scratch.path + "/machine-key"
    let slot = try #require(try names(try bench.slots(tpm), .recovery).first)
    try run("/bin/cp", ["-p", "\(folder)/slot-\(slot)", "\(folder)/slot-0123456789abcdef.new"])
    let slots = try bench.slots(tpm)
    let left = try Directory(path: folder).names()
    #expect(left.contains("slot-" + slot) && !left.contains { $0.hasSuffix(".new") })
    #expect(try slots.key() != nil)
  }

  @Test
  func slotsThatAreTooManyAreNamedAndTheOthersOpen() throws {
    let bench = try made()
    let folder = bench.scratch.path + "/machine-key/slot-"
    // They come after the others.
    let junk = "ffffffffffffff"
    for number in 10..<26 {
      try run("/usr/bin/truncate", ["-s", "0", folder + junk + "\(number)"])
    }
    let slots = try bench.slots(tpm)
    #expect(try slots.key() != nil)
    let unread = try slots.facts().slots.filter { $0.problem?.contains("more than 16") == true }
    #expect(unread.map(\.identifier) == [junk + "24", junk + "25"])
    guard case .invalidArgument? = (failing { _ = try slots.addRecovery(Bench.code()) }) else {
      Issue.record("a slot too many")
      return
    }
    // A recovery by code makes none either, but still opens the key.
    let other = ScriptedTPM(seed: 9)
    let recovered = try bench.slots(other).recover(with: try Bench.code())
    #expect(recovered.added == nil && recovered.problem?.contains("16 slots") == true)
    for slot in unread { try slots.remove(slot.identifier) }
    #expect(try slots.facts().slots.count == 16)
  }
}
