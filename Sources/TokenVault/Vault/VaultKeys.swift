internal import AuditLog
internal import Cryptography
internal import MachineKey
internal import SecretMemory

/// The device secret, and the keys that the vault derives from it.
struct VaultKeys: ~Copyable, Sendable {
  /// The root, which seals tokens and prints.
  let secret: SealingKey
  /// The keys of the audit log.
  let audit: AuditKeys
  /// The key of the rollback counter.
  let counter: SealingKey

  init(_ secret: consuming SecretBytes) throws(CryptographyError) {
    let root = try SealingKey(secret)
    let audit = try AuditKeys(from: root)
    let counter = try root.derived(for: "rollback counter")
    self.secret = root
    self.audit = audit
    self.counter = counter
  }

  /// The keys of a device-secret file; with the machine key, if there is one, as a part of the
  /// root.
  init(
    of file: borrowing SecretBytes,
    _ machineKey: MachineKey?
  ) throws(CryptographyError) {
    if let machineKey {
      try self.init(machineKey.root(of: file))
      return
    }
    let copy: SecretBytes
    do throws(SecretMemoryError) {
      copy = try file.copy()
    } catch {
      throw .memory(error)
    }
    try self.init(copy)
  }

  /// Eight bytes that identify the device secret; the store names its own.
  var identifier: [UInt8] { secret.identifier }
}
