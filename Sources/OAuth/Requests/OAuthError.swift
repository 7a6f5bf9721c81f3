public import Cryptography
public import JSON
public import SecretMemory

/// Why a request could not be made; nothing was sent.
public enum OAuthError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Something that was given cannot be sent; `rule` says what it must be, and quotes nothing.
  case unusable(what: String, rule: String)
  /// The provider's settings have no place for it; `what` says what is missing.
  case notOffered(what: String)
  /// It could not be written as JSON.
  case json(JSONError)
  /// There was no memory for the body.
  case memory(SecretMemoryError)
  /// No random bytes, or no digest.
  case cryptography(CryptographyError)

  /// One line, without anything that was given.
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
