internal import AuditLog
internal import Cryptography
internal import MachineKey
internal import SecretMemory
internal import Storage

/// The files of a state directory as a start of the engine finds them.
///
/// It judges before it writes. If something is wrong with the store, only an empty store is given
/// its name.
struct Opening: ~Copyable {
  /// The store's key for the identifier of the device secret that it is sealed under.
  static let secretKey = "device-secret-id"
  /// The store's key for the identifier of the vault.
  static let vaultKey = "vault"

  let store: Store
  let keys: VaultKeys
  let identifier: [UInt8]
  /// Whether the keys need the machine key besides the device-secret file.
  let isUnderMachineKey: Bool
  private(set) var freshness: StoreFreshness
  /// Whether the store is sealed under the next device secret, which is not in its place yet.
  private(set) var isRekeyUnfinished: Bool
  /// The count that the file of the rollback counter holds; 0 if it holds none.
  private(set) var counterValue: UInt64

  private let directory: StateDirectory
  private let hasIdentifier: Bool
  private let count: UInt64
  private let isCounterToBeWritten: Bool

  /// Opens the files that are there, and makes those that are missing in a fresh directory.
  ///
  /// - Parameters:
  ///   - directory: the state directory.
  ///   - user: the owner of the vault.
  ///   - slots: the machine key, if one was made; `nil` if none is used.
  /// - Throws: why the machine key, the secret or the store cannot be used; nothing was changed
  ///   then.
  init(_ directory: StateDirectory, of user: UInt32, _ slots: MachineKeySlots?) throws {
    // Open the machine key first: if that fails, no file of the vault is made or changed.
    let machineKey = try slots?.key()
    // Open the secret first: if it is refused, the store is not even opened.
    var opened: Store?
    let secret = try DeviceSecretFile.open(in: directory) { () throws(StorageError) in
      let store = try Self.openedStore(in: directory)
      opened = store
      let hasBoxes = try store.hasSealedBoxes()
      let count = try Vault.boxChanges(in: store)
      return hasBoxes || count > 0
    }
    let store = if let opened { opened } else { try Self.openedStore(in: directory) }
    let count = try Vault.boxChanges(in: store)
    // If there are two device secrets, the store names the one that it is sealed under.
    let named = try store.meta(Self.secretKey)
    let next = try DeviceSecretFile.next(in: directory)
    let inUse = try VaultKeys(of: secret, machineKey)
    let nextIdentifier = try next.keys(machineKey)?.identifier
    if nextIdentifier == named, let nextKeys = try next.keys(machineKey) {
      let byFile = try machineKey == nil ? nil : VaultKeys(of: secret, nil)
      try self.init(directory, store, count, nextKeys, machineKey, replacing: inUse, or: byFile)
      return
    }
    if machineKey != nil, let byFile = try Self.keysOfFile(secret, next, named) {
      // The store was written before the machine key was added.
      let replaced = try byFile.isNext ? VaultKeys(of: secret, nil) : nil
      try self.init(directory, store, count, byFile.keys, nil, replacing: replaced)
      if slots?.refusesFile(of: user, next: nextIdentifier) == true {
        freshness = .beforeMachineKey
      }
      return
    }
    try Self.demandFit(inUse.identifier, named, store, count, machineKey != nil)
    try self.init(directory, store, count, inUse, machineKey)
  }

  private init(
    _ directory: StateDirectory,
    _ store: Store,
    _ count: UInt64,
    _ keys: consuming VaultKeys,
    _ machineKey: MachineKey?,
    replacing replaced: consuming VaultKeys? = nil,
    or earlier: consuming VaultKeys? = nil
  ) throws {
    let known = try store.meta(Self.vaultKey)
    let identifier = if let known { known } else { try randomBytes(16) }
    var found = try Self.found(identifier, keys.counter, in: directory)
    var isCounterToBeWritten = !found.isAuthentic || found.counter?.count != count
    let isRekeyUnfinished = replaced != nil
    if let replaced, !found.isAuthentic {
      // Until a rekey is finished, the file of the rollback counter is under either key.
      found = try Self.found(identifier, replaced.counter, in: directory)
      isCounterToBeWritten = true
    }
    // The rekey that brings a vault under the machine key replaces keys of only the file.
    if let earlier, !found.isAuthentic {
      found = try Self.found(identifier, earlier.counter, in: directory)
    }
    var freshness = Self.freshness(found, count)
    if freshness == .current {
      freshness = try Self.boxes(store, count, identifier, keys.counter)
    }
    self.directory = directory
    self.store = store
    self.count = count
    self.keys = keys
    self.identifier = identifier
    isUnderMachineKey = machineKey != nil
    hasIdentifier = known != nil
    self.isRekeyUnfinished = isRekeyUnfinished
    self.isCounterToBeWritten = isCounterToBeWritten
    counterValue = found.counter?.count ?? 0
    self.freshness = freshness
  }

  /// Keys that need no machine key.
  private struct KeysOfFile: ~Copyable {
    let keys: VaultKeys
    /// Whether they are those of the next device secret.
    let isNext: Bool
  }

  /// The keys of only one of the two files, if the store names them.
  private static func keysOfFile(
    _ secret: borrowing SecretBytes,
    _ next: borrowing SecretBytes?,
    _ named: [UInt8]?
  ) throws(CryptographyError) -> KeysOfFile? {
    let keys = try VaultKeys(of: secret, nil)
    if keys.identifier == named { return KeysOfFile(keys: keys, isNext: false) }
    guard let keys = try next.keys(nil), keys.identifier == named else { return nil }
    return KeysOfFile(keys: keys, isNext: true)
  }

  /// Whether the store holds the boxes that its digest covers.
  private static func boxes(
    _ store: Store,
    _ count: UInt64,
    _ identifier: [UInt8],
    _ key: borrowing SealingKey
  ) throws -> StoreFreshness {
    // Without a counted change there is no box, and the device secret may be a new one.
    guard count > 0 else { return try store.hasSealedBoxes() ? .boxesChanged : .current }
    let seal = try Vault.storeDigest(of: store, count: count, vault: identifier, using: key)
    return try store.meta(Vault.storeDigestKey) == seal ? .current : .boxesChanged
  }

  /// Compares the store with the ledger of the TPM's counter.
  mutating func compare(_ slots: MachineKeySlots?) throws(VaultFailure) {
    guard freshness == .current, let slots else { return }
    if !hasIdentifier, count == 0 { try slots.list(made: identifier) }
    freshness = slots.judgement(of: identifier, count: count)
  }

  /// Makes the findings of the start durable.
  ///
  /// A store that is not accepted does not change. Only an empty store gets its name and its audit
  /// log, in which `recover` is recorded.
  ///
  /// - Parameters:
  ///   - user: the owner of the vault.
  ///   - slots: the machine key, whose state knows the vaults that are not under it.
  ///   - begin: writes the first head of the audit log of an empty store, in the transaction that
  ///     names the store.
  /// - Throws: `StorageError`, `CryptographyError`, and all that `begin` throws.
  mutating func settle(
    of user: UInt32,
    _ slots: MachineKeySlots?,
    beginning begin: (borrowing AuditKeys) throws -> Void
  ) throws {
    try name(begin)
    // A failure changes nothing: the next start does it.
    if isUnderMachineKey { try? slots?.noteAdopted(user) }
    guard freshness == .current else { return }
    if isRekeyUnfinished {
      try Vault.finishRekey(store, count, of: identifier, using: keys.counter, in: directory)
      isRekeyUnfinished = false
    } else {
      if !isUnderMachineKey { try slots?.withdraw(user) }
      try DeviceSecretFile.discardNext(in: directory)
      if isCounterToBeWritten {
        try Vault.writeCounter(count, of: identifier, using: keys.counter, in: directory)
      }
    }
    counterValue = count
    try store.leaveLogOnClose(false)
  }

  /// Names the vault in a new store, and the device secret in a store without boxes.
  private func name(_ begin: (borrowing AuditKeys) throws -> Void) throws {
    let secret = keys.identifier
    guard try !hasIdentifier || store.meta(Self.secretKey) != secret else { return }
    let isEmpty = try count == 0 && !store.hasSealedBoxes() && store.auditCount() == 0
    guard freshness == .current || isEmpty && !hasIdentifier else { return }
    try store.transaction {
      try store.setMeta(Self.vaultKey, to: identifier)
      try store.setMeta(Self.secretKey, to: secret)
      // No record was authenticated under the keys of another secret.
      if isEmpty { try begin(keys.audit) }
    }
  }

  /// Opens a store that is left as it was found if the vault is refused after all.
  ///
  /// Its write-ahead log then stays too.
  private static func openedStore(in directory: StateDirectory) throws(StorageError) -> Store {
    let hadLog = try Store.hasLog(in: directory)
    let store = try Store(in: directory)
    try store.leaveLogOnClose(hadLog)
    return store
  }

  /// Requires that the store is sealed under the device secret of this identifier.
  private static func demandFit(
    _ identifier: [UInt8],
    _ named: [UInt8]?,
    _ store: Store,
    _ count: UInt64,
    _ isUnderMachineKey: Bool
  ) throws {
    guard try !fits(identifier, named, store, count, isUnderMachineKey) else { return }
    throw VaultFailure.vaultUnsafe(
      "the device secret is not the one of this store",
      hint: VaultHint(
        "restore the device secret, the directory machine-key and the store from the same backup"
      )
    )
  }

  private static func fits(
    _ identifier: [UInt8],
    _ named: [UInt8]?,
    _ store: Store,
    _ count: UInt64,
    _ isUnderMachineKey: Bool
  ) throws(StorageError) -> Bool {
    if named == identifier { return true }
    // The machine key of a vault with records is missing: without it, the vault would open by its
    // file.
    if !isUnderMachineKey, named != nil, try store.auditCount() > 0 { return false }
    // Nothing was ever sealed, so the device secret may be a new one.
    guard count == 0 else { return false }
    return try !store.hasSealedBoxes()
  }
}

extension SecretBytes? {
  /// The keys of a device-secret file and the machine key; `nil` if there is no file.
  fileprivate func keys(_ machineKey: MachineKey?) throws(CryptographyError) -> VaultKeys? {
    switch self {
    case .some(let secret): try VaultKeys(of: secret, machineKey)
    case .none: nil
    }
  }
}
