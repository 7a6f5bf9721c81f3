public import SecretMemory

/// Why something was not sealed, not opened, or not derived.
///
/// A box is examined in the order of the cases up to `damaged`, and the first that applies is the
/// refusal. All but `damaged` go by the header as it stands there: they tell a person what is
/// wrong, and the authentication of the header keeps a forged one from ever opening.
public enum CryptographyError: Error, Equatable, Sendable {
  /// A format that this version does not know, perhaps a newer one.
  case unknownVersion(UInt8)
  /// More or fewer bytes than the format or the caller's contract allows.
  case wrongLength
  /// Not a box: the magic, a length prefix or an enumeration holds what no writer writes.
  case malformed
  /// Sealed under another key; nothing is known about damage.
  case wrongKey
  /// Sealed for another vault.
  case otherVault
  /// Sealed for another user.
  case otherOwner
  /// Sealed for another account.
  case otherAccount
  /// Sealed as something else, a print say, where a refresh token was asked for.
  case otherKind
  /// Sealed under another protection class.
  case otherProtection
  /// Sealed with the generation given here, not the one asked for.
  case otherGeneration(UInt64)
  /// Sealed for another provider, or the same with other settings.
  case otherBinding
  /// The key is right and the header is the one asked for, but header, ciphertext or tag are not
  /// what was sealed.
  case damaged
  /// There was no locked memory for a key or a plaintext.
  case memory(SecretMemoryError)
  /// An OpenSSL call failed; `code` is the first in its error queue (ERR_get_error(3)).
  case library(call: String, code: UInt)
}

extension CryptographyError: CustomStringConvertible {
  /// What happened, without any of the bytes.
  public var description: String {
    switch self {
    case .unknownVersion(let version): "sealed in format \(version), which is not known here"
    case .wrongLength: "the length is wrong"
    case .malformed: "not a sealed box"
    case .wrongKey: "sealed under another device secret"
    case .otherVault: "sealed for another vault"
    case .otherOwner: "sealed for another user"
    case .otherAccount: "sealed for another account"
    case .otherKind: "sealed as another kind of secret"
    case .otherProtection: "sealed under another protection class"
    case .otherGeneration(let generation): "sealed as generation \(generation)"
    case .otherBinding: "sealed for another provider or other settings"
    case .damaged: "damaged"
    case .memory(let error): "\(error)"
    case .library(let call, let code): "\(call) failed (\(String(code, radix: 16)))"
    }
  }
}
