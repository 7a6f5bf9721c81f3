import ScriptedTPM
import Storage
import TestSupport
import Testing
import TokenVault
import VaultInterface

@testable import VaultServer

/// An old copy of the service's whole directory, with the vaults of several users.
@Suite(.timeLimit(.minutes(10)))
struct RestoredServiceTests {
  private let tpm = ScriptedTPM()
  private let machine: SlotMachine

  init() throws { machine = try SlotMachine() }

  private func status(
    of user: UInt32,
    _ vaults: Vaults
  ) async throws -> (problem: String?, counter: CounterComparison?) {
    let caller = Caller(connection: 9, user: user, requester: "a test")
    return try await vaults.use(of: user) { vault throws(VaultFailure) in
      let facts = try await vault.facts(for: caller)
      return (facts.problem?.message, facts.counter)
    }
  }

  /// Runs an engine that ends in order.
  private func withService(_ body: (Vaults) async throws -> Void) async throws {
    let vaults = try machine.service(tpm)
    try await body(vaults)
    await vaults.retireAll(within: 60)
  }

  /// Makes a call of user 1000, with its presence check.
  private func passed(
    _ vaults: Vaults,
    _ call: @Sendable (Vault, String?, Caller) async throws(VaultFailure) -> Void
  ) async throws {
    let caller = Caller(connection: 5, user: 1000, requester: "a test")
    try await vaults.use(of: 1000) { vault throws(VaultFailure) in
      try await passing(vault, caller) { prompt throws(VaultFailure) in
        try await call(vault, prompt, caller)
      }
    }
  }

  /// The service under the machine key, with a copy of its directory that is older by a change.
  private func restored() async throws {
    try await machine.service(tpm).makeVaults(of: 1000, 1001)
    try await withService { vaults async throws in
      let call = AddSlotCall(kind: .tpm, recovery: try await vaults.shownCode())
      let reply = try await vaults.addSlot(call, of: root)
      #expect(reply.vaults == 2 && reply.counterProblem == nil)
    }
    try run("/bin/cp", ["-a", machine.path, machine.path + ".copy"])
    try await withService { vaults async throws in
      try await passed(vaults) { vault, prompt, caller throws(VaultFailure) in
        _ = try await vault.rekey(prompt: prompt, caller: caller)
      }
      #expect(try await vaults.deviceSecretStatus(of: root).counter == .current)
    }
    try run("/bin/mv", [machine.path, machine.path + ".newest"])
    try run("/bin/cp", ["-a", machine.path + ".copy", machine.path])
  }

  @Test
  func theAcceptanceOfOneVaultClearsNoOther() async throws {
    try await restored()
    try await withService { vaults async throws in
      for user: UInt32 in [1000, 1001, 1002] {
        let found = try await status(of: user, vaults)
        #expect(found.problem?.contains("the whole directory was restored") == true)
        #expect(found.counter == .refused)
      }
      let shown = try await vaults.deviceSecretStatus(of: root)
      #expect(shown.counter == .refused && shown.counterProblem?.isEmpty == false)
      try await passed(vaults) { vault, prompt, caller throws(VaultFailure) in
        _ = try await vault.acceptStore(prompt: prompt, caller: caller)
      }
      #expect(try await status(of: 1000, vaults).problem == nil)
    }
    try await withService { vaults async throws in
      #expect(try await status(of: 1000, vaults).problem == nil)
      #expect(try await status(of: 1001, vaults).problem?.contains("not accepted since") == true)
      // A new vault has no old copy.
      #expect(try await status(of: 1003, vaults).problem == nil)
      #expect(try await vaults.deviceSecretStatus(of: root).counter == .current)
    }
  }

  @Test
  func aTPMWithoutRoomIsAddedAndSaysSo() async throws {
    tpm.limitCounters(to: 0)
    try await machine.service(tpm).makeVaults(of: 1000)
    let vaults = try machine.service(tpm)
    let call = AddSlotCall(kind: .tpm, recovery: try await vaults.shownCode())
    let reply = try await vaults.addSlot(call, of: root)
    #expect(reply.vaults == 1 && reply.counterProblem?.contains("no room") == true)
    let shown = try await vaults.deviceSecretStatus(of: root)
    #expect(shown.counter == CounterCheck.none && shown.counterProblem?.contains("no room") == true)
    tpm.limitCounters(to: 1)
    #expect(try await vaults.addSlot(AddSlotCall(kind: .tpm), of: root).counterProblem == nil)
    #expect(try await vaults.deviceSecretStatus(of: root).counter == .current)
    await vaults.retireAll(within: 60)
  }
}
