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

  init() throws { machine = try SlotMachine() }

  @Test
  func theCodeMustBeTypedBackOnTheConnectionThatSawIt() async throws {
    let vaults = try machine.service(tpm)
    let code = try await vaults.shownCode()
    let other = try await vaults.shownCode()
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
    #expect(try await vaults.tier() == .file)
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
    let call = AddSlotCall(kind: .tpm, recovery: try await vaults.shownCode())
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
    let code = try await vaults.shownCode()
    vaults.disconnect(root.connection, of: root.user)
    let call = AddSlotCall(kind: .tpm, recovery: code)
    #expect(await failure { _ = try await vaults.addSlot(call, of: root) } != nil)
  }

  private func secret(_ text: String) throws -> SharedSecret {
    SharedSecret(try SecretBytes(copying: Array(text.utf8)))
  }
}
