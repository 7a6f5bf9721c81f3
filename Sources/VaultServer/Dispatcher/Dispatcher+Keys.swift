internal import TokenVault
internal import VaultInterface

// Methods for the device secret, the store and the refresh token itself.
extension Dispatcher {
  func rekey(_ call: RekeyCall) async throws(VaultFailure) -> RekeyReply {
    let facts = try await vault.rekey(prompt: call.prompt, caller: caller)
    return RekeyReply(accounts: facts.accounts, prints: facts.prints, records: facts.records)
  }

  func recover(_ call: RecoverCall) async throws(VaultFailure) -> RecoverReply {
    RecoverReply(
      loginRequired: try await vault.acceptStore(prompt: call.prompt, caller: caller)
    )
  }

  func deviceSecretStatus(
    _ call: DeviceSecretStatusCall
  ) async throws(VaultFailure) -> DeviceSecretStatusReply {
    try await vaults.deviceSecretStatus(of: caller)
  }

  func addSlot(_ call: AddSlotCall) async throws(VaultFailure) -> AddSlotReply {
    try await vaults.addSlot(call, context)
  }

  func removeSlot(_ call: RemoveSlotCall) async throws(VaultFailure) -> RemoveSlotReply {
    try await vaults.removeSlot(call, of: caller)
  }

  func testSlots(_ call: TestSlotsCall) async throws(VaultFailure) -> TestSlotsReply {
    try await vaults.testSlots(call, of: caller)
  }

  func recoverWithCode(
    _ call: RecoverWithCodeCall
  ) async throws(VaultFailure) -> RecoverWithCodeReply {
    try await vaults.recoverWithCode(call, of: caller)
  }

  func openMachineKey(
    _ call: OpenMachineKeyCall
  ) async throws(VaultFailure) -> OpenMachineKeyReply {
    try await vaults.openMachineKey(call, context)
  }

  func release(_ call: ReleaseCall) async throws(VaultFailure) -> ReleaseReply {
    let (token, signedOut) = try await vault.release(
      account: call.account,
      keep: call.keep,
      prompt: call.prompt,
      caller: caller
    )
    return ReleaseReply(refreshToken: token, signedOut: signedOut)
  }
}

extension VaultRequest {
  /// Whether the call is refused while the store may be an old copy.
  var usesStore: Bool {
    switch self {
    case .getStatus, .check, .respond, .cancel, .audit, .examine, .recover: false
    case .askAtDesktop, .nextPrompt: false
    case .deviceSecretStatus, .addSlot, .removeSlot, .testSlots, .recoverWithCode,
      .openMachineKey:
      false
    default: true
    }
  }

  /// Whether it ends an open transfer into the service.
  var endsTransfer: Bool {
    switch self {
    case .importIntoService, .cancelServiceImport: true
    default: false
    }
  }
}
