import MachineKey
import PresenceTerms
import ScriptedTPM
import SecretMemory
import Testing
import TokenVault
import VaultInterface

@testable import VaultServer

/// A recovery code that was shown, until it is given back.
@Suite(.timeLimit(.minutes(10)))
struct ShownCodeTests {
  private let tpm = ScriptedTPM()
  private let machine: SlotMachine
  private let root = Caller(connection: 1, user: 0, requester: "root")

  init() throws { machine = try SlotMachine() }

  private func failure(_ body: () async throws -> Void) async -> VaultFailure? {
    do {
      try await body()
      return nil
    } catch {
      return error as? VaultFailure
    }
  }

  private func tier(_ vaults: Vaults) async throws -> DeviceSecretTier {
    try await vaults.deviceSecretStatus(of: root).tier
  }

  /// A call to add a slot with a new code.
  private func add(_ vaults: Vaults, _ kind: SlotKind = .tpm) async throws -> SharedSecret {
    let shown = try await vaults.addSlot(AddSlotCall(kind: kind), of: root)
    let code = try #require(shown.code)
    #expect(shown.slots.isEmpty && shown.vaults == 0)
    return code
  }

  @Test
  func theCodeMustBeTypedBackOnTheConnectionThatSawIt() async throws {
    let vaults = try machine.service(tpm)
    let code = try await add(vaults)
    let other = try await add(vaults)
    let elsewhere = Caller(connection: 7, user: 0, requester: "root")
    for (text, caller) in [(code, root), (other, elsewhere), (try secret("12-34"), root)] {
      let call = AddSlotCall(kind: .tpm, recovery: text)
      guard
        case .invalidArgument? = await failure({ _ = try await vaults.addSlot(call, of: caller) })
      else {
        Issue.record("another code is taken")
        continue
      }
    }
    #expect(try await tier(vaults) == .file)
    // It may be typed again after a mistake.
    let call = AddSlotCall(kind: .tpm, recovery: other)
    #expect(try await vaults.addSlot(call, of: root).slots.count == 2)
    guard case .invalidArgument? = await failure({ _ = try await vaults.addSlot(call, of: root) })
    else {
      Issue.record("a code is taken twice")
      return
    }
  }

  @Test
  func aCodeStaysValidUntilASlotIsMadeOfIt() async throws {
    let vaults = try machine.service(tpm)
    let call = AddSlotCall(kind: .tpm, recovery: try await add(vaults))
    tpm.fail(.busy)
    #expect(await failure { _ = try await vaults.addSlot(call, of: root) } != nil)
    tpm.fail(nil)
    // Another caller neither gets a code nor voids this one.
    let elsewhere = Caller(connection: 7, user: 0, requester: "root")
    guard
      case .busy? = await failure({
        _ = try await vaults.addSlot(AddSlotCall(kind: .tpm), of: elsewhere)
      })
    else {
      Issue.record("a second code is shown")
      return
    }
    #expect(try await vaults.addSlot(call, of: root).slots.count == 2)
    #expect(await failure { _ = try await vaults.addSlot(call, of: root) } != nil)
  }

  @Test
  func aCodeIsForgottenWithItsConnection() async throws {
    let vaults = try machine.service(tpm)
    let code = try await add(vaults)
    vaults.disconnect(root.connection, of: root.user)
    let call = AddSlotCall(kind: .tpm, recovery: code)
    #expect(await failure { _ = try await vaults.addSlot(call, of: root) } != nil)
  }

  private func secret(_ text: String) throws -> SharedSecret {
    SharedSecret(try SecretBytes(copying: Array(text.utf8)))
  }
}
