internal import MachineKey
internal import PresenceTerms

extension VaultFailure {
  /// A machine key cannot be opened with the security key.
  ///
  /// Nothing was changed.
  static func keySlotClosed(_ failure: SecurityKeyFailure) -> VaultFailure {
    switch failure {
    case .noKey:
      .keyUnavailable("no security key is plugged in: plug in the one that opens the vault")
    case .severalKeys:
      .keyUnavailable("several security keys are plugged in: leave the one that opens the vault")
    case .anotherKey:
      .vaultUnsafe(
        "the security key that is plugged in opens no slot: it is another one, or was reset",
        hint: "plug in the right one; or \(recoverByCode)"
      )
    case .pinBlocked:
      .vaultUnsafe(
        "too many PINs were wrong: the security key accepts none any more",
        hint: VaultHint(recoverByCode)
      )
    case .noPIN:
      .vaultUnsafe(
        "the slot needs the PIN of the security key, which has none: it was reset",
        hint: VaultHint(recoverByCode)
      )
    case .alwaysVerifies:
      .vaultUnsafe(
        "the slot was made for a touch only, and the security key now always wants its PIN",
        hint: "turn that off (alwaysUv); or \(recoverByCode)"
      )
    case .noSecret:
      .vaultUnsafe("the security key gave no secret (hmac-secret)", hint: VaultHint(recoverByCode))
    default: keyFailed(failure, remedy: "or \(recoverByCode)")
    }
  }

  /// A slot cannot be made with the security key.
  ///
  /// Nothing was changed.
  static func keySlotNotMade(_ failure: SecurityKeyFailure) -> VaultFailure {
    switch failure {
    case .noKey: .keyUnavailable("no security key is plugged in")
    case .severalKeys:
      .invalidArgument("several security keys are plugged in: leave the one to add")
    case .alreadyAdded: .invalidArgument("this security key has a slot already")
    case .noSecret:
      .invalidArgument(
        "this security key cannot keep a secret for a slot (it has no hmac-secret): use another one"
      )
    case .pinBlocked:
      .invalidArgument("too many PINs were wrong: the security key must be reset first")
    default: keyFailed(failure, remedy: nil)
    }
  }

  /// A failure with the same meaning for a slot that is made and one that is opened.
  private static func keyFailed(
    _ failure: SecurityKeyFailure,
    remedy: String?
  ) -> VaultFailure {
    let or = remedy.map { "; \($0)" } ?? ""
    switch failure {
    case .noLibrary:
      return .keyUnavailable("libfido2 is missing or too old: install libfido2-1\(or)")
    case .pinNeeded(let retries):
      return .keyPINNeeded("the security key wants its PIN", retries: retries)
    case .wrongPIN(let retries):
      return .keyPINNeeded("wrong PIN of the security key", retries: retries)
    case .pinBlockedUntilReplugged:
      return .keyUnavailable(
        "three PINs of the security key were wrong: unplug it, plug it in again, and try again"
      )
    case .notVerified:
      return .keyUnavailable("the security key did not recognize its person: try again")
    case .timedOut:
      return .presenceFailed(
        PresenceFailure(.timedOut, detail: "the security key was not touched in time"),
        methods: []
      )
    case .cancelled: return .presenceFailed(.cancelled, methods: [])
    case .removed:
      return .keyUnavailable(
        "the security key was unplugged, or does not answer: plug it in, and try again"
      )
    case .notPermitted:
      return .keyUnavailable(
        "this user may not open the security key: sign in at the machine itself\(or)"
      )
    case .unreachable(let why): return .keyUnavailable("\(why)\(or)")
    case .unexpected(let code):
      return .keyUnavailable("unexpected answer of the security key: \(code): try again\(or)")
    case .noKey, .anotherKey, .severalKeys, .alreadyAdded, .noSecret, .pinBlocked, .noPIN,
      .alwaysVerifies:
      return .unexpected("\(failure)")
    }
  }

  /// The key's secret is not that of its slot: the answer or the slot was changed.
  static let keySlotFalse = vaultUnsafe(
    "the security key gave another secret than that of its slot: the slot or the answer was changed",
    hint: VaultHint(
      "try again at another port; restore the directory machine-key from a copy; or"
        + " \(recoverByCode)"
    )
  )

  private static func keyUnavailable(_ message: String) -> VaultFailure {
    .providerUnavailable(message, retryAfter: nil)
  }
}
