internal import AuditLog
internal import Cryptography
internal import SecretMemory

/// The device secret with the keys that are derived from it for the vault's own use.
struct VaultKeys: ~Copyable, Sendable {
  /// The root, which seals tokens and prints.
  let secret: SealingKey
  /// Authenticate the audit log.
  let audit: AuditKeys
  /// Authenticates the rollback counter.
  let counter: SealingKey

  /// Takes the device secret over.
  init(_ secret: consuming SecretBytes) throws(CryptographyError) {
    let root = try SealingKey(secret)
    let audit = try AuditKeys(from: root)
    let counter = try root.derived(for: "rollback mark")
    self.secret = root
    self.audit = audit
    self.counter = counter
  }

  /// Eight bytes that tell device secrets apart; the store names the one that it is sealed under.
  var identifier: [UInt8] { secret.identifier }
}
