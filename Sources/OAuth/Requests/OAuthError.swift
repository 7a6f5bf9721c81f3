public import Cryptography
public import JSON
public import SecretMemory

/// Why a request could not be made.
///
/// Nothing was sent.
public enum OAuthError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A given value cannot be sent; `rule` describes valid values, and does not quote the given one.
  case unusable(what: String, rule: String)
  /// The provider's settings do not allow it; `what` names the missing thing.
  case notOffered(what: String)
  /// The request could not be written as JSON.
  case json(JSONError)
  /// No memory for the body.
  case memory(SecretMemoryError)
  /// No random bytes, or no digest.
  case cryptography(CryptographyError)

  /// One line that quotes no given value.
  public var description: String {
    switch self {
    case .unusable(let what, let rule): "the \(what) must be \(rule)"
    case .notOffered(let what): what
    case .json(let error): "the request cannot be written: \(error)"
    case .memory(let error): "\(error)"
    case .cryptography(let error): "\(error)"
    }
  }
}
