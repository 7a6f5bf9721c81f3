public import SecretMemory

/// Why sealing, opening or deriving failed.
///
/// A box is checked in the order of the cases up to `damaged`, and the first that applies is
/// thrown. All but `damaged` rely on the unverified header, and serve only as an explanation for
/// people. Authentication of the header keeps a forged one from ever opening.
public enum CryptographyError: Error, Equatable, Sendable {
  /// An unknown format version, perhaps a newer one.
  case unknownVersion(UInt8)
  /// More or fewer bytes than the format or the caller's contract allows.
  case wrongLength
  /// Not a box: the magic, a length prefix or an enumeration holds a value that no writer uses.
  case malformed
  /// Sealed under another key; whether it is damaged is unknown.
  case wrongKey
  /// Sealed for another vault.
  case otherVault
  /// Sealed for another user.
  case otherOwner
  /// Sealed for another account.
  case otherAccount
  /// Sealed as another kind, such as a print instead of a refresh token.
  case otherKind
  /// Sealed under another protection class.
  case otherProtection
  /// Sealed with this generation instead of the requested one.
  case otherGeneration(UInt64)
  /// Sealed for another provider, or for the same one with other settings.
  case otherBinding
  /// The key and the header match the request, but header, ciphertext or tag differ from what was
  /// sealed.
  case damaged
  /// There was no locked memory for a key or a plaintext.
  case memory(SecretMemoryError)
  /// An OpenSSL call failed; `code` is the first in its error queue (ERR_get_error(3)).
  case library(call: String, code: UInt)
}

extension CryptographyError: CustomStringConvertible {
  /// The problem, without any of the bytes.
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
