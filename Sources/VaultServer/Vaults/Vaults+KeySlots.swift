internal import MachineKey
internal import PresenceTerms
internal import SecretMemory
internal import TokenVault
internal import VaultInterface

// The slots of security keys, which only a private vault has.
extension Vaults {
  /// Opens the machine key with the security key that is plugged in.
  func openMachineKey(
    _ call: OpenMachineKeyCall,
    _ context: CallContext
  ) async throws(VaultFailure) -> OpenMachineKeyReply {
    let slots = try knownSlots()
    try demandPrivate()
    guard slots.isClosed else { return OpenMachineKeyReply(event: .done) }
    // A caller that has left may still hold the key for a moment, and another one may open it.
    try await slotChanges.next { () async throws(VaultFailure) in
      try await touching(context.caller.connection) {
        context.send(OpenMachineKeyReply(event: .waiting))
      } _: { wait, lit throws(VaultFailure) in
        try slots.openByKey(pin: call.pin, wait, lit: lit)
      }
    }
    // An addition may have waited for the key.
    slotChanges.forgetAdditions()
    resumeAddition()
    return OpenMachineKeyReply(event: .done)
  }

  /// Lets the security key make the parts of a new slot; `nil` if an interrupted addition has one
  /// already.
  func madeKey(
    _ pin: SharedSecret?,
    _ slots: MachineKeySlots,
    _ context: CallContext
  ) async throws(VaultFailure) -> SecurityKeySecret? {
    guard !slots.isAdding || !slots.hasKeySlot else { return nil }
    return try await touching(context.caller.connection) {
      context.send(AddSlotReply(slots: [], vaults: 0, touch: true))
    } _: { wait, lit throws(VaultFailure) in
      try slots.makeKeySecret(pin: pin, wait, lit: lit)
    }
  }

  /// The weakest way to open a vault that is under the machine key.
  var hardwareTier: DeviceSecretTier {
    guard form == .private, let slots = slotChanges.slots, slots.hasKeySlot,
      case .securityKey? = try? slots.facts().tier
    else { return .tpm }
    return .securityKey
  }

  func demandPrivate() throws(VaultFailure) {
    guard form == .private else {
      throw .refused(
        "a security key opens only a private vault: no person can touch it at each start of the service"
      )
    }
  }

  /// Runs a step that waits for a touch, and ends the wait when the caller leaves.
  private func touching<Value: Sendable>(
    _ connection: UInt64,
    lit: @escaping @Sendable () -> Void,
    _ step:
      @escaping @Sendable (SecurityKeyWait, @escaping @Sendable () -> Void) throws(VaultFailure) ->
      Value
  ) async throws(VaultFailure) -> Value {
    // The caller may have left while the call waited for its turn.
    guard !Task.isCancelled else { throw .presenceFailed(.cancelled, methods: []) }
    let wait = SecurityKeyWait()
    slotChanges.keep(wait, of: connection)
    defer { slotChanges.keep(nil, of: connection) }
    let result: Result<Value, VaultFailure> = await withTaskCancellationHandler {
      do throws(VaultFailure) {
        return .success(
          try await blocking { () throws(VaultFailure) in try step(wait, lit) }
        )
      } catch {
        return .failure(error)
      }
    } onCancel: {
      wait.cancel()
    }
    return try result.get()
  }
}
