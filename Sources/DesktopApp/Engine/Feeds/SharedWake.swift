internal import System
internal import VaultClient

/// A wake event that several closures share.
final class SharedWake: Sendable {
  let event: WakeEvent

  init() throws(SystemError) { event = try WakeEvent() }

  /// A new event, which ends calls to the vault.
  static func made() throws(VaultClientError) -> SharedWake {
    do throws(SystemError) { return try SharedWake() } catch { throw .system(error) }
  }
}
