package import MachineKey

extension VaultFailure {
  /// The remedy if the security key of a private vault no longer opens its slot.
  static let recoverByCode = "open it with the recovery code: thumblatch recover --code"

  /// The remedy if the TPM no longer opens its slot; in the service, only root may apply it.
  static let recoverByOwner =
    "open it with the recovery code (in the service as root): thumblatch recover --code"

  /// Only the recovery code opens the machine key.
  static let noHardwareSlot = vaultUnsafe(
    "the machine key has no slot of a TPM or a security key",
    hint: VaultHint(recoverByOwner)
  )

  /// The file of a slot cannot be read, and no other slot opens without a person.
  static func slotUnread(_ name: String, _ problem: String) -> VaultFailure {
    .vaultUnsafe(
      "slot \(name) of the machine key cannot be used: \(problem)",
      hint: "mend its file, or restore the directory machine-key from a copy; or \(recoverByOwner)"
    )
  }

  /// The problem in one clause, without its remedy.
  package var problem: String {
    switch self {
    case .vaultUnsafe(let message, _), .invalidArgument(let message), .unexpected(let message),
      .refused(let message), .providerUnavailable(let message, _, _),
      .machineKeyNeeded(let message), .keyPINNeeded(let message, _):
      message
    default: "\(self)"
    }
  }

  /// The remedy if access to the TPM's device is denied.
  ///
  /// The unit of the service's helper puts its dynamic user in that group.
  private static let permitted =
    "let group tss open it, and for a private vault add the user to that group and sign in again"

  /// The machine key cannot be opened with the TPM.
  ///
  /// Nothing was changed, and no vault is opened without it.
  static func machineKeyClosed(_ failure: TPMFailure) -> VaultFailure {
    let what = "the vault needs the TPM of this machine"
    switch failure {
    case .absent:
      return .vaultUnsafe(
        "\(what), and there is none (/dev/tpmrm0)",
        hint: "turn the TPM on in the firmware; or \(recoverByOwner)"
      )
    case .notPermitted:
      return .vaultUnsafe(
        "\(what), and the engine may not open it (/dev/tpmrm0)",
        hint: "\(permitted); or \(recoverByOwner)"
      )
    case .anotherTPM:
      return .vaultUnsafe(
        "\(what), and this is not the TPM that it was sealed with, or it was cleared",
        hint: VaultHint(recoverByOwner)
      )
    case .ownerPassword:
      return .vaultUnsafe(
        "\(what), and the TPM has an owner password and no storage key at 0x81000001",
        hint: "as root: make that key persistent, or remove the password; or \(recoverByOwner)"
      )
    case .wrongAuthorization:
      return .vaultUnsafe(
        "the TPM and the slot of the machine key do not belong together",
        hint: "restore the directory machine-key from a copy; or \(recoverByOwner)"
      )
    case .damaged:
      return .vaultUnsafe(
        "the TPM's slot of the machine key is damaged",
        hint: "restore the directory machine-key from a copy; or \(recoverByOwner)"
      )
    case .busy: return .tpmUnavailable("the TPM is busy: try again")
    case .lockedOut:
      return .tpmUnavailable(
        "the TPM is in lockout after failed authorizations: try again later"
      )
    case .unreachable(let why):
      return .tpmUnavailable("cannot reach the helper for the TPM: \(why)")
    case .noCounter: return .tpmUnavailable("unexpected TPM error: no counter")
    case .noRoom, .indexTaken: return slotNotSealed(failure)
    case .unexpected(let code):
      return .tpmUnavailable(
        "unexpected TPM error: \(code): try again; if it stays, \(recoverByOwner)"
      )
    }
  }

  /// A slot cannot be sealed with the TPM.
  ///
  /// Nothing was changed.
  static func slotNotSealed(_ failure: TPMFailure) -> VaultFailure {
    switch failure {
    case .absent:
      .invalidArgument("this machine has no TPM (/dev/tpmrm0)")
    case .notPermitted:
      .invalidArgument(
        "the engine may not open the TPM (/dev/tpmrm0): \(permitted)"
      )
    case .ownerPassword:
      .invalidArgument(
        "the TPM has an owner password and no storage key at 0x81000001: as root, make that key"
          + " persistent, or remove the password"
      )
    case .anotherTPM, .wrongAuthorization, .damaged:
      .tpmUnavailable("the TPM did not open what it had just sealed: nothing was changed")
    case .noRoom:
      .refused(
        "the TPM has no room for a counter: as root, remove an NV index that is not in use"
          + " (tpm2_getcap handles-nv-index, tpm2_nvundefine)"
      )
    case .indexTaken:
      .tpmUnavailable("the TPM already has a counter at this index: try again")
    case .unexpected(let code): .tpmUnavailable("unexpected TPM error: \(code)")
    case .busy, .lockedOut, .noCounter, .unreachable: .machineKeyClosed(failure)
    }
  }

  private static func tpmUnavailable(_ message: String) -> VaultFailure {
    .providerUnavailable(message, retryAfter: nil)
  }

  /// A file of the machine key that cannot be used.
  static func machineKeyDamaged(_ what: String) -> VaultFailure {
    .vaultUnsafe(
      "the machine key cannot be used: \(what)",
      hint: "restore the directory machine-key from a copy; nothing was changed"
    )
  }

  /// A typed text is not a recovery code.
  package init(_ flaw: RecoveryCode.Flaw) {
    switch flaw {
    case .wrongLength(let count):
      self = .invalidArgument(
        "a recovery code has \(RecoveryCode.characterCount) letters and digits, and this has"
          + " \(count)"
      )
    case .unknownCharacter(let place):
      self = .invalidArgument("character \(place) is never used in a recovery code")
    case .wrongCheck:
      self = .invalidArgument(
        "the recovery code is mistyped: its two check characters do not match"
      )
    case .failed(let error): self = .unexpected("the recovery code cannot be used: \(error)")
    }
  }
}

extension TPMFailure {
  /// Whether the same request may succeed soon.
  var isTemporary: Bool {
    switch self {
    case .busy, .lockedOut, .unreachable, .unexpected, .noCounter, .indexTaken: true
    case .absent, .notPermitted, .anotherTPM, .ownerPassword, .wrongAuthorization, .damaged,
      .noRoom:
      false
    }
  }

  /// Whether the TPM or its helper did not answer at the moment, to any request.
  var isMomentary: Bool {
    switch self {
    case .busy, .unreachable: true
    default: false
    }
  }

  /// Whether the same lasting reason also prevents reading a counter.
  var hidesCounter: Bool {
    switch self {
    case .absent, .notPermitted, .ownerPassword: true
    default: false
    }
  }

  /// Whether the slot can no longer be used on this machine.
  var isOfTheSlot: Bool {
    switch self {
    case .anotherTPM, .wrongAuthorization, .damaged: true
    default: false
    }
  }
}
