internal import Cryptography
internal import SecretMemory

/// The device secret with the keys that are derived from it for the vault's own use.
struct VaultKeys: ~Copyable, Sendable {
  /// The root, which seals tokens and prints.
  let secret: SealingKey
  /// Authenticate the audit log.
  let trail: AuditKeys
  /// Authenticates the rollback mark.
  let mark: SealingKey

  /// Takes the device secret over.
  init(_ secret: consuming SecretBytes) throws(CryptographyError) {
    let root = try SealingKey(secret)
    let trail = try AuditKeys(from: root)
    let mark = try root.derived(for: "rollback mark")
    self.secret = root
    self.trail = trail
    self.mark = mark
  }

  /// Eight bytes that tell device secrets apart; the store names the one that it is sealed under.
  var identifier: [UInt8] { secret.identifier }
}
