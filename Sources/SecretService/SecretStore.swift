package import SecretMemory

/// The store of the secrets.
///
/// None of these calls waits for a person.
package protocol SecretStore {
  func items() throws(SecretServiceError) -> [SecretItem]

  /// One item; `nil` if there is none.
  func item(_ id: String) throws(SecretServiceError) -> SecretItem?

  /// The value of an item.
  ///
  /// - Throws: `isLocked` if that needs a presence check.
  func secret(of id: String, requester: String) throws(SecretServiceError) -> SharedSecret

  /// Stores a new item; returns its id.
  func add(_ change: SecretChange) throws(SecretServiceError) -> String

  /// Closes all unlock windows of the user, also those of other accounts.
  func lock() throws(SecretServiceError)
}

/// How the wait for the end of an unlock window has ended.
package enum SecretWindowEnd: Sendable {
  /// The window of this item has ended.
  case item(String)
  /// All windows have ended, with their engine.
  case all
  /// The wait failed.
  case unknown
}
