import MachineKey
import PresenceTerms
import ScriptedTPM
import Storage
import System
import TestSupport
import Testing
import TokenVault
import VaultInterface

@testable import VaultServer

/// How the vaults of a machine come under the machine key if one of them cannot.
@Suite(.timeLimit(.minutes(10)))
struct AdoptionTests {
  private let tpm = ScriptedTPM()
  private let machine: SlotMachine

  init() throws { machine = try SlotMachine() }

  /// Adds the TPM with a new code; returns the failure of the last step.
  @discardableResult
  private func addTPM(_ vaults: Vaults) async throws -> VaultFailure? {
    let shown = try await vaults.addSlot(AddSlotCall(kind: .tpm), of: root)
    let call = AddSlotCall(kind: .tpm, recovery: shown.code)
    return await failure { _ = try await vaults.addSlot(call, of: root) }
  }

  /// The state after an engine was killed before it rekeys a vault.
  private func begin() throws -> RecoveryCode {
    let slots = MachineKeySlots(
      try MachineKeyDirectory(in: try Directory(path: machine.path)),
      owner: .machine,
      tpm: tpm
    )
    let code = try RecoveryCode.random()
    try slots.make(recovery: code)
    return code
  }

  private func damage(_ user: UInt32) throws {
    let store = try Directory(path: machine.path + "/users/\(user)").openForWriting("vault.db")
    try store.write([UInt8](repeating: 7, count: 4096), at: 0)
  }

  @Test
  func aVaultThatIsLeftLetsNoOldCopyOfAnotherIn() async throws {
    try await machine.service(tpm).makeVaults(of: 1000, 1001)
    try damage(1000)
    let users = machine.path + "/users"
    try run("/bin/cp", ["-a", users + "/1001", machine.path + "/copy"])
    var vaults: Vaults? = try machine.service(tpm)
    if let vaults {
      #expect(try await addTPM(vaults) != nil)
      // Slots can still be changed.
      let more = try await vaults.addSlot(AddSlotCall(kind: .recovery), of: root)
      let call = AddSlotCall(kind: .recovery, recovery: more.code)
      let slots = try await vaults.addSlot(call, of: root).slots
      let old = try #require(slots.first { $0.kind == .recovery })
      let left = try await vaults.removeSlot(RemoveSlotCall(slot: old.id), of: root)
      #expect(left.slots.count == 2)
      await vaults.retireAll(within: 60)
    }
    vaults = nil
    try run("/bin/rm", ["-r", users + "/1001"])
    try run("/bin/mv", [machine.path + "/copy", users + "/1001"])
    let next = try machine.service(tpm)
    let caller = Caller(connection: 9, user: 1001, requester: "a test")
    let owner = Caller(connection: 8, user: 1000, requester: "a test")
    // Only the vault that is left is in the tier `adding`.
    #expect(try await next.deviceSecretStatus(of: caller).tier == .tpm)
    for other in [root, owner] {
      #expect(try await next.deviceSecretStatus(of: other).tier == .adding)
    }
    guard
      case .vaultUnsafe(let message, _)? = await failure({
        try await next.use(of: 1001) { vault throws(VaultFailure) in
          try await passing(vault, caller) { prompt throws(VaultFailure) in
            _ = try await vault.enroll("right-thumb", prompt: prompt, caller: caller) { _ in }
          }
        }
      })
    else {
      Issue.record("an old copy is used")
      return
    }
    #expect(message.contains("older than the machine key"))
  }

  @Test
  func aVaultThatIsLeftCanBeRemoved() async throws {
    try await machine.service(tpm).makeVaults(of: 1000, 1001)
    try damage(1000)
    let vaults = try machine.service(tpm)
    #expect(try await addTPM(vaults) != nil)
    try run("/bin/rm", ["-r", machine.path + "/users/1000"])
    #expect(try await vaults.addSlot(AddSlotCall(kind: .tpm), of: root).vaults == 0)
    #expect(try await vaults.deviceSecretStatus(of: root).tier == .tpm)
  }

  @Test
  func eachFailureOfAVaultNamesItsUser() {
    for why: VaultFailure in [
      .vaultUnsafe("x", hint: nil), .busy("x"), .providerUnavailable("x"), .refused("x"),
      .invalidArgument("x"), .unexpected("x"), .loginRequired(account: "me", message: "x"),
    ] {
      let failure = VaultFailure.notAdopted(1000, why, count: 1)
      #expect("\(failure)".contains("user 1000"), "\(why)")
    }
  }

  @Test
  func anAdditionIsTriedAgainWhileTheEngineRuns() async throws {
    try await machine.service(tpm).makeVaults(of: 1000)
    _ = try begin()
    let vaults = try machine.service(tpm)
    tpm.fail(.busy)
    let asked = tpm.opened
    vaults.resumeAddition()
    while tpm.opened == asked { await Task.yield() }
    tpm.fail(nil)
    // The try above may not have ended yet.
    while try await vaults.deviceSecretStatus(of: root).tier != .tpm {
      vaults.slotChanges.forgetAdditions()
      vaults.tend(refreshing: true)
      await Task.yield()
    }
    #expect(try await vaults.fingers(of: 1000) == ["left-thumb"])
  }

  @Test
  func triesToGoOnWithAnAdditionWaitLongerEachTime() throws {
    let changes = SlotChanges(nil)
    var now = BootInstant.now
    var waits: [Int64] = []
    for _ in 0..<8 {
      let start = now
      while !changes.takeAddition(at: now) { now = now.advanced(bySeconds: 60) }
      waits.append(now.seconds(since: start))
    }
    #expect(waits == [0, 0, 240, 480, 960, 1920, 3600, 3600])
  }

  @Test
  func aRecoveryByCodeGoesOnWithAnAddition() async throws {
    try await machine.service(tpm).makeVaults(of: 1000)
    let code = try begin()
    tpm.fail(.absent)
    let vaults = try machine.service(tpm)
    let call = RecoverWithCodeCall(code: try code.text())
    #expect(try await vaults.recoverWithCode(call, of: root).problem != nil)
    while try await vaults.deviceSecretStatus(of: root).tier != .tpm { await Task.yield() }
    #expect(try await vaults.fingers(of: 1000) == ["left-thumb"])
  }

  @Test
  func aVaultWhoseCreationWasInterruptedIsLeftToItsUser() async throws {
    try await machine.service(tpm).makeVaults(of: 1000)
    try run("/bin/mkdir", ["-m", "700", machine.path + "/users/1001"])
    try run("/bin/mkdir", ["-m", "700", machine.path + "/users/1002"])
    try run("/bin/touch", [machine.path + "/users/1002/.owner"])
    let vaults = try machine.service(tpm)
    #expect(try await addTPM(vaults) == nil)
    #expect(try await vaults.deviceSecretStatus(of: root).tier == .tpm)
    try await vaults.makeVaults(of: 1001, 1002)
    #expect(try await vaults.fingers(of: 1002) == ["left-thumb"])
  }
}
