/// What an error of another room means for a caller.
///
/// The text of the error is a part of it.
enum ErrorMeaning {
  /// The request itself is wrong.
  case invalidArgument
  /// A provider, or a document of it at this URL, does not do what its settings say.
  case misconfigured(at: String? = nil)
  /// This part of a record cannot be used.
  case damaged(String)
  /// This step cannot fail, and did.
  case unexpected(String)

  func failure(_ error: any Error) -> VaultFailure {
    switch self {
    case .invalidArgument: .invalidArgument("\(error)")
    case .misconfigured(let url): .misconfigured("\(error)" + (url.map { " (\($0))" } ?? ""))
    case .damaged(let what): .damaged("\(what): \(error)")
    case .unexpected(let what): .unexpected("\(what): \(error)")
    }
  }
}

/// Runs a step of another room: an error that it throws means this for the caller.
func mappingErrors<Value: ~Copyable>(
  to meaning: ErrorMeaning,
  _ step: () throws -> Value
) throws(VaultFailure) -> Value {
  do {
    return try step()
  } catch let failure as VaultFailure {
    throw failure
  } catch {
    throw meaning.failure(error)
  }
}

extension VaultFailure {
  /// A record that cannot be used, which is left as it is.
  static func damaged(_ message: String) -> VaultFailure {
    .vaultUnsafe(
      message,
      hint: "nothing was changed; restore the vault from a copy, or sign in again"
    )
  }
}
