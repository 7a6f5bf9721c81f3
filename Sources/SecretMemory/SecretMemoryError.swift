public import System

/// Why a secret could not be held.
public enum SecretMemoryError: Error, Equatable, Sendable, CustomStringConvertible {
  /// More bytes than a secret may have.
  case tooLong(Int)
  /// The kernel granted no memory.
  case noMemory(SystemError)
  /// The kernel returned no random bytes.
  case noRandom(SystemError)

  /// The problem, without any of the bytes.
  public var description: String {
    switch self {
    case .tooLong(let count): "a secret of \(count) bytes is too long"
    case .noMemory(let error): "no memory for secrets: \(error)"
    case .noRandom(let error): "no random bytes: \(error)"
    }
  }
}
