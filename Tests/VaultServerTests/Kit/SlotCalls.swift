import SecretMemory
import Testing
import TokenVault
import Varlink
import VaultInterface

@testable import VaultServer

let root = Caller(connection: 1, user: 0, requester: "root")

extension Vaults {
  /// Makes a call that reports no touch.
  func addSlot(
    _ call: AddSlotCall,
    of caller: Caller
  ) async throws(VaultFailure) -> AddSlotReply {
    try await addSlot(call, .of(caller))
  }

  func answerAboutSlots(_ request: VaultRequest, _ caller: Caller) async -> VarlinkReply? {
    await answerAboutSlots(request, .of(caller))
  }

  func tier() async throws -> DeviceSecretTier { try await deviceSecretStatus(of: root).tier }

  /// The code that root is shown for a new slot.
  func shownCode(_ kind: SlotKind = .tpm) async throws -> SharedSecret {
    let shown = try await addSlot(AddSlotCall(kind: kind), of: root)
    let code = try #require(shown.code)
    #expect(shown.slots.isEmpty && shown.vaults == 0)
    return code
  }
}

extension CallContext {
  /// A call of this caller.
  static func of(
    _ caller: Caller,
    more: Bool = false,
    reply: @escaping @Sendable (VarlinkReply) -> Void = { _ in }
  ) -> CallContext {
    CallContext(
      more: more,
      caller: caller,
      recognition: Recognition(),
      reply: reply,
      whenSent: { true }
    )
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
