import MachineKey
import PresenceTerms
import ScriptedTPM
import SecretMemory
import Storage
import System
import TestSupport
import Testing
import TokenVault
import Varlink
import VaultInterface

@testable import VaultServer

/// The calls about the slots of the machine key, in an engine of the machine and of one user.
@Suite(.timeLimit(.minutes(10)))
struct SlotCallTests {
  private let tpm = ScriptedTPM()
  private let machine: SlotMachine

  init() throws { machine = try SlotMachine() }

  @Test
  func rootBringsEveryVaultUnderTheMachineKey() async throws {
    try await machine.service(tpm).makeVaults(of: 1000, 1001, 1002)
    var vaults: Vaults? = try machine.service(tpm)
    if let vaults {
      // One of them is open while the key is added.
      #expect(try await vaults.fingers(of: 1001) == ["left-thumb"])
      let code = try await vaults.shownCode()
      #expect(try await vaults.tier() == .file)
      let done = try await vaults.addSlot(AddSlotCall(kind: .tpm, recovery: code), of: root)
      #expect(done.vaults == 3 && done.slots.count == 2 && done.code == nil)
      #expect(try await vaults.tier() == .tpm)
      // Only the vault that was open stays so.
      #expect(vaults.openVaults.map(\.0) == [1001])
      #expect(try await vaults.fingers(of: 1001) == ["left-thumb"])
      await vaults.retireAll(within: 60)
    }
    vaults = nil
    let closed = try machine.service(NoTPM())
    for user: UInt32 in [1000, 1001, 1002, 1003] {
      guard case .vaultUnsafe? = await failure({ _ = try await closed.fingers(of: user) }) else {
        Issue.record("the vault of \(user) opens without the TPM")
        continue
      }
    }
    let next = try machine.service(tpm)
    #expect(try await next.fingers(of: 1000) == ["left-thumb"])
    #expect(try await next.fingers(of: 1002) == ["left-thumb"])
  }

  @Test
  func aChangeOfTheSlotsIsInTheAuditLogOfRoot() async throws {
    try await machine.service(tpm).makeVaults(of: 0, 1000)
    let vaults = try machine.service(tpm)
    let code = try await vaults.shownCode()
    let made = try await vaults.addSlot(AddSlotCall(kind: .tpm, recovery: code), of: root).slots
    let second = try await vaults.shownCode(.recovery)
    _ = try await vaults.addSlot(AddSlotCall(kind: .recovery, recovery: second), of: root)
    let old = try #require(made.first { $0.kind == .recovery })
    _ = try await vaults.removeSlot(RemoveSlotCall(slot: old.id), of: root)
    let records = try await vaults.use(of: 0) { vault throws(VaultFailure) in
      try await vault.auditPage(after: 0, since: nil, account: nil)
    }
    let details = records.filter { $0.event == "machine-key" }.compactMap(\.detail)
    #expect(details.contains("added a slot: tpm"))
    #expect(Array(details.suffix(2)) == ["added a slot: recovery", "removed slot \(old.id)"])
    let others = try await vaults.use(of: 1000) { vault throws(VaultFailure) in
      try await vault.auditPage(after: 0, since: nil, account: nil)
    }
    #expect(!others.contains { $0.detail?.hasPrefix("removed slot") == true })
  }

  @Test
  func onlyRootChangesTheSlotsOfTheMachine() async throws {
    let vaults = try machine.service(tpm)
    let user = Caller(connection: 2, user: 1000, requester: "a test")
    let code = try secret("0")
    let calls: [VaultRequest] = [
      .addSlot(AddSlotCall(kind: .tpm)), .removeSlot(RemoveSlotCall(slot: "00")),
      .testSlots(TestSlotsCall()), .recoverWithCode(RecoverWithCodeCall(code: code)),
    ]
    let refusals = { () async -> Int in
      var count = 0
      for call in calls {
        guard let reply = await vaults.answerAboutSlots(call, user),
          case .refused? = try? VaultError(decoding: reply)
        else { continue }
        count += 1
      }
      return count
    }
    #expect(await refusals() == calls.count)
    // Neither the TPM nor a change under way is touched by such a call.
    tpm.fail(.busy)
    #expect(await refusals() == calls.count)
    tpm.fail(nil)
    let during = try await vaults.slotChanges.alone { () async throws(VaultFailure) in
      await refusals()
    }
    #expect(during == calls.count)
    // The ways to open the vault are not secret, but the TPM is not asked for each user.
    tpm.fail(.busy)
    let status = try await vaults.deviceSecretStatus(of: user)
    #expect(status.tier == .file && status.tpm == nil && status.tpmProblem == nil)
    #expect(try await vaults.deviceSecretStatus(of: root).tpmProblem?.contains("busy") == true)
    #expect(vaults.takeStrangers().count == 1)
  }

  @Test
  func aVaultThatCannotBeRekeyedKeepsTheAdditionOpen() async throws {
    try await machine.service(tpm).makeVaults(of: 1000, 1001, 1002)
    let store = try Directory(path: machine.path + "/users/1001").openForWriting("vault.db")
    try store.write([UInt8](repeating: 7, count: 4096), at: 0)
    let vaults = try machine.service(tpm)
    let call = AddSlotCall(kind: .tpm, recovery: try await vaults.shownCode())
    guard
      case .vaultUnsafe(let message, let hint)? = await failure({
        _ = try await vaults.addSlot(call, of: root)
      })
    else {
      Issue.record("a damaged vault is passed over")
      return
    }
    #expect(message.contains("user 1001") && hint?.text.contains("device-secret add") == true)
    #expect(try await vaults.tier() == .adding)
    // The others are under the key already.
    _ = try await vaults.remove(user: "1001", account: nil, caller: root)
    let again = try await vaults.addSlot(AddSlotCall(kind: .tpm), of: root)
    #expect(again.vaults == 0 && again.code == nil)
    #expect(try await vaults.tier() == .tpm)
    #expect(try await vaults.fingers(of: 1002) == ["left-thumb"])
  }

  @Test
  func theNextEngineGoesOnWithAnAddition() async throws {
    try await machine.service(tpm).makeVaults(of: 1000, 1001)
    // An engine that was killed before it rekeyed a vault leaves this.
    let slots = MachineKeySlots(
      try MachineKeyDirectory(in: try Directory(path: machine.path)),
      owner: .machine,
      tpm: tpm
    )
    try slots.make(recovery: try RecoveryCode.random())
    let vaults = try machine.service(tpm)
    #expect(try await vaults.tier() == .adding)
    vaults.resumeAddition()
    while try await vaults.tier() != .tpm { await Task.yield() }
    #expect(try await vaults.fingers(of: 1001) == ["left-thumb"])
    await vaults.retireAll(within: 60)
  }

  @Test
  func aRecoveryCodeNeedsAMachineKeyAndItsLastSlotStays() async throws {
    let vaults = try machine.service(tpm)
    let call = AddSlotCall(kind: .recovery)
    guard case .invalidArgument? = await failure({ _ = try await vaults.addSlot(call, of: root) })
    else {
      Issue.record("a code without a machine key")
      return
    }
    tpm.fail(.absent)
    let tpmCall = AddSlotCall(kind: .tpm)
    guard
      case .invalidArgument? = await failure({ _ = try await vaults.addSlot(tpmCall, of: root) })
    else {
      Issue.record("a code is shown without a TPM")
      return
    }
    tpm.fail(nil)
    let first = AddSlotCall(kind: .tpm, recovery: try await vaults.shownCode())
    let made = try await vaults.addSlot(first, of: root).slots
    let recovery = try #require(made.first { $0.kind == .recovery })
    guard
      case .refused? = await failure({
        _ = try await vaults.removeSlot(RemoveSlotCall(slot: recovery.id), of: root)
      })
    else {
      Issue.record("the last code is removed")
      return
    }
    let second = AddSlotCall(kind: .recovery, recovery: try await vaults.shownCode(.recovery))
    #expect(try await vaults.addSlot(second, of: root).slots.count == 3)
    let left = try await vaults.removeSlot(RemoveSlotCall(slot: recovery.id), of: root)
    #expect(left.slots.count == 2)
  }

  @Test
  func aPrivateVaultNeedsThePasswordAndTheCodeOpensItWithoutATPM() async throws {
    let user = ThisProcess.user
    let caller = Caller(connection: 1, user: user, requester: "a test")
    try await machine.privately(tpm).makeVaults(of: user)
    var code: SharedSecret?
    var vaults: Vaults? = try await privately(tpm)
    if let vaults, let vault = vaults.openVault(of: user) {
      guard
        case .presenceNeeded(let need)? = await failure({
          _ = try await vaults.addSlot(AddSlotCall(kind: .tpm), of: caller)
        })
      else {
        Issue.record("no password is asked for")
        return
      }
      #expect(need.purpose == .machineKey && need.methods == [.password])
      code = try await passing(vault, caller) { prompt throws(VaultFailure) in
        try await vaults.addSlot(AddSlotCall(kind: .tpm, prompt: prompt), of: caller).code
      }
      let call = AddSlotCall(kind: .tpm, recovery: code)
      #expect(try await vaults.addSlot(call, of: caller).vaults == 1)
      #expect(try await vault.facts(for: caller).isUnderMachineKey)
      await vaults.retireAll(within: 60)
    }
    vaults = nil
    let closed = try await privately(NoTPM())
    for _ in 0..<2 {
      guard case .vaultUnsafe? = await failure({ _ = try await closed.fingers(of: user) }) else {
        Issue.record("the vault opens without the TPM")
        return
      }
    }
    #expect(try await closed.deviceSecretStatus(of: caller).tier == .tpm)
    let done = try await closed.recoverWithCode(
      RecoverWithCodeCall(code: try #require(code)),
      of: caller
    )
    #expect(done.added == nil && done.problem?.contains("no TPM") == true)
    #expect(try await closed.fingers(of: user) == ["left-thumb"])
    let methods = try await closed.use(of: user) { vault throws(VaultFailure) in
      try await vault.auditPage(after: 0, since: nil, account: nil)
        .filter { "\($0.event)" == "machine-key" }.map(\.method)
    }
    #expect(methods == ["password", nil])
    // The next engine would need the code again, so this one does not end.
    closed.prepareEnd { Issue.record("the engine ends while only a code opens the key") }
    #expect(!closed.mayEnd)
  }

  /// Waits until an earlier engine has left the directory.
  private func privately(_ tpm: any TPMSealing) async throws -> Vaults {
    while true {
      do {
        return try machine.privately(tpm)
      } catch {
        guard "\(error)".contains("another process") else { throw error }
        await Task.yield()
      }
    }
  }

  private func secret(_ text: String) throws -> SharedSecret {
    SharedSecret(try SecretBytes(copying: Array(text.utf8)))
  }
}
