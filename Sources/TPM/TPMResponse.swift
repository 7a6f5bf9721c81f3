internal import CTSS
internal import MachineKey

/// The subject of a call of the TPM's library, which decides the meaning of a refusal.
enum TPMStep {
  /// It is authorized by the owner, or by a storage key.
  case parent
  /// It loads sealed bytes.
  case load
  /// It is authorized by the secret's or the counter's own authorization value.
  case use
  /// It asks for a counter by its index.
  case counter
}

/// A response code (TPM 2.0 Library, part 2, section 6.6; TSS 2.0 Overview, section 3.7).
struct TPMResponse: Error {
  let code: UInt32
  let step: TPMStep

  /// Throws unless the call succeeded.
  init?(_ code: UInt32, _ step: TPMStep) {
    guard code != 0 else { return nil }
    self.code = code
    self.step = step
  }

  private var layer: UInt32 { (code >> 16) & 0xff }
  private var low: UInt32 { code & 0xffff }

  /// Whether the code comes from the TPM itself, or from the kernel's resource manager in its
  /// place.
  private var isOfTPM: Bool { layer == 0 || layer == 11 || layer == 12 }

  /// The number of the error, without its position among parameters, handles and sessions; `nil` if
  /// the code has no such position.
  private var number: UInt32? { isOfTPM && low & 0x80 != 0 ? low & 0x3f : nil }

  /// Whether an index or handle is taken (TPM_RC_NV_DEFINED).
  var isDefined: Bool { isOfTPM && low == 0x14c }

  /// Whether there is no object at a handle (TPM_RC_HANDLE).
  var isMissing: Bool { number == 0x0b }

  /// Whether an authorization value is wrong (TPM_RC_AUTH_FAIL, TPM_RC_BAD_AUTH).
  var isWrongAuthorization: Bool { number == 0x0e || number == 0x22 }

  /// The failure in the words of the vault.
  var failure: TPMFailure {
    guard isOfTPM else { return stackFailure }
    if number != nil { return refusal }
    switch low {
    // TPM_RC_AUTH_UNAVAILABLE: the index has no policy.
    case 0x12f where step == .counter: return .damaged
    // TPM_RC_OBJECT_MEMORY, _SESSION_MEMORY, _MEMORY, _SESSION_HANDLES, _OBJECT_HANDLES, _YIELDED,
    // _CANCELED, _TESTING, _NV_RATE, _RETRY, _NV_UNAVAILABLE.
    case 0x902...0x906, 0x908...0x90a, 0x920, 0x922, 0x923: return .busy
    // TPM_RC_LOCKOUT.
    case 0x921: return .lockedOut
    // TPM_RC_NV_UNINITIALIZED: a counter that was never incremented does not belong to a vault.
    case 0x14a: return .noCounter
    // TPM_RC_NV_SPACE.
    case 0x14b: return .noRoom
    default: return .unexpected(text)
    }
  }

  /// A refusal with a position.
  private var refusal: TPMFailure {
    if isWrongAuthorization {
      return step == .use || step == .counter ? .wrongAuthorization : .ownerPassword
    }
    if isMissing, step == .counter { return .noCounter }
    // The TPM checks the bytes in order, and gives a code for each flaw. TPM_RC_POLICY_FAIL: the
    // object has another policy. No policy of ours names a PCR, so the state in which the machine
    // started is not the cause.
    if step == .load || number == 0x1d { return .damaged }
    return .unexpected(text)
  }

  /// A failure of the layers between this program and the TPM.
  private var stackFailure: TPMFailure {
    switch (layer, low) {
    // ESYS: an answer whose name or authentication is wrong. The TPM did not give it.
    case (7, 17), (7, 27): .anotherTPM
    case (10, 12): .notPermitted
    case (_, 9): .busy
    // Also an error of read or write, or an invalid answer: there is a device.
    default: .unexpected(text)
    }
  }

  /// The code, as `tpm2_rc_decode` takes it.
  private var text: String {
    let digits = String(code, radix: 16)
    return "0x" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits
  }
}

/// Throws if a call of the library failed.
func check(_ code: TSS2_RC, _ step: TPMStep) throws(TPMFailure) {
  if let response = TPMResponse(code, step) { throw response.failure }
}
