import SecretMemory
import Testing
import TokenVault
import VaultInterface

@testable import VaultServer

let root = Caller(connection: 1, user: 0, requester: "root")

extension Vaults {
  func tier() async throws -> DeviceSecretTier { try await deviceSecretStatus(of: root).tier }

  /// The code that root is shown for a new slot.
  func shownCode(_ kind: SlotKind = .tpm) async throws -> SharedSecret {
    let shown = try await addSlot(AddSlotCall(kind: kind), of: root)
    let code = try #require(shown.code)
    #expect(shown.slots.isEmpty && shown.vaults == 0)
    return code
  }
}

/// The failure of a call; `nil` if it has none.
func failure(_ body: () async throws -> Void) async -> VaultFailure? {
  do {
    try await body()
    return nil
  } catch {
    return error as? VaultFailure
  }
}
