package import VaultClient
internal import VaultInterface

/// What is said about a security key that opens the machine key, or gets a slot of it.
package enum SecurityKeyText {
  /// The most time for a touch, in seconds: the key itself gives up after some 30.
  package static let touchLimit: Int64 = 90

  package static let touch = "Touch the security key."
  package static let touchToOpen = "Touch the security key to open the vault."

  /// The PIN that a call needs; `nil` if it failed for another reason.
  package static func wanted(_ error: VaultClientError) -> String? {
    guard case .refused(.keyPINNeeded(_, let retries)) = error else { return nil }
    let left =
      switch retries {
      case 1?: " (1 try left)"
      case let retries?: " (\(retries) tries left)"
      case nil: ""
      }
    return "PIN of the security key\(left)"
  }
}
