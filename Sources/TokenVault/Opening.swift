internal import Cryptography
internal import SecretMemory
internal import Storage

/// What a start makes of the files of a state directory.
///
/// It judges first, and changes something only where nothing speaks against the store.
struct Opening: ~Copyable {
  /// Names the device secret that the store is sealed under.
  static let secretKey = "device-secret-id"
  private static let vaultKey = "vault"

  let store: Store
  let keys: VaultKeys
  let identifier: [UInt8]
  private(set) var standing: VaultStanding
  /// The store is sealed under the next device secret, which is not in its place yet.
  private(set) var isRekeyUnfinished: Bool
  /// The count of the mark, if it is one of this vault.
  private(set) var markedCount: UInt64

  private let directory: StateDirectory
  private let hasIdentifier: Bool
  private let count: UInt64
  private let isMarkToBeWritten: Bool
  /// The store is one of the first format, or new: nothing keyed speaks against that.
  let isFirst: Bool

  /// Opens what there is, and makes what is missing in a fresh directory.
  init(_ directory: StateDirectory) throws {
    // The secret first: where it is refused, the store is not even opened.
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
    // Of two device secrets the store names the one that it is sealed under.
    let named = try store.meta(Self.secretKey)
    let inUse = try VaultKeys(secret)
    guard let next = try Self.nextKeys(in: directory), next.identifier == named else {
      let keys = inUse
      try Self.demandFit(keys.identifier, named, store, count)
      try self.init(directory, store, count, keys)
      return
    }
    try self.init(directory, store, count, next, replacing: inUse)
  }

  private init(
    _ directory: StateDirectory,
    _ store: Store,
    _ count: UInt64,
    _ keys: consuming VaultKeys,
    replacing replaced: consuming VaultKeys? = nil
  ) throws {
    let known = try store.meta(Self.vaultKey)
    let identifier = if let known { known } else { try randomBytes(16) }
    let isFirstFormat = try store.meta(Vault.markFormatKey) == nil
    var found = try Self.found(identifier, keys.mark, in: directory)
    var isMarkToBeWritten = !found.isAuthentic || found.mark?.count != count
    let isRekeyUnfinished = replaced != nil
    if let replaced, !found.isAuthentic {
      // Until a rekey is finished the mark is under the one key or the other.
      found = try Self.found(identifier, replaced.mark, in: directory)
      isMarkToBeWritten = true
    }
    let isFirst = isFirstFormat && !found.isAuthentic
    var standing = Self.standing(found, isFirstFormat, count)
    if standing == .current {
      standing = try Self.boxes(store, count, identifier, keys.mark, isFirst)
    }
    self.directory = directory
    self.store = store
    self.count = count
    self.keys = keys
    self.identifier = identifier
    hasIdentifier = known != nil
    self.isRekeyUnfinished = isRekeyUnfinished
    self.isMarkToBeWritten = isMarkToBeWritten
    markedCount = found.mark?.count ?? 0
    self.isFirst = isFirst
    self.standing = standing
  }

  /// Whether the store holds the boxes that it has counted.
  private static func boxes(
    _ store: Store,
    _ count: UInt64,
    _ identifier: [UInt8],
    _ key: borrowing SealingKey,
    _ isFirst: Bool
  ) throws -> VaultStanding {
    // Without a change that was counted there is no box; the device secret may have been made anew.
    guard count > 0 else { return try store.hasSealedBoxes() ? .boxesChanged : .current }
    if isFirst { return .current }
    let seal = try Vault.boxSeal(of: store, count: count, vault: identifier, using: key)
    return try store.meta(Vault.boxSealKey) == seal ? .current : .boxesChanged
  }

  /// Makes durable what the start has found out: nothing where the store is not accepted.
  ///
  /// `adopt` takes over a trail without a head; its first argument says whether there may be one.
  mutating func settle(
    adopting adopt: (_ mayAdopt: Bool, borrowing TrailKeys) throws -> Void
  ) throws {
    guard standing == .current else { return }
    if !isRekeyUnfinished { try DeviceSecretFile.discardNext(in: directory) }
    try name()
    // Before the keyed mark, after which nothing of the first format is believed any more.
    try adopt(isFirst, keys.trail)
    if isMarkToBeWritten && !isRekeyUnfinished {
      try Vault.writeMark(count, of: identifier, using: keys.mark, in: directory)
    }
    try nameFormat()
    if isRekeyUnfinished {
      try Vault.finishRekey(store, count, of: identifier, using: keys.mark, in: directory)
      isRekeyUnfinished = false
    }
    markedCount = count
    try Vault.adoptClientSecrets(store, vault: identifier, using: keys.secret)
    try store.leaveLogOnClose(false)
  }

  /// Writes into the store what an older program did not.
  private func name() throws {
    let secret = keys.identifier
    guard try !hasIdentifier || store.meta(Self.secretKey) != secret else { return }
    try store.transaction {
      try store.setMeta(Self.vaultKey, to: identifier)
      try store.setMeta(Self.secretKey, to: secret)
    }
  }

  private func nameFormat() throws {
    guard try store.meta(Vault.markFormatKey) == nil else { return }
    let seal = try Vault.boxSeal(of: store, count: count, vault: identifier, using: keys.mark)
    try store.transaction {
      try store.setMeta(Vault.boxSealKey, to: seal)
      try store.setMeta(Vault.markFormatKey, to: [2])
    }
  }

  /// A store that is left as it was found, its log included, if the vault is refused after all.
  private static func openedStore(in directory: StateDirectory) throws(StorageError) -> Store {
    let hadLog = try Store.hasLog(in: directory)
    let store = try Store(in: directory)
    try store.leaveLogOnClose(hadLog)
    return store
  }

  private static func nextKeys(in directory: StateDirectory) throws -> VaultKeys? {
    guard let secret = try DeviceSecretFile.next(in: directory) else { return nil }
    return try VaultKeys(secret)
  }

  /// Demands that the store is sealed under the device secret of this identifier.
  private static func demandFit(
    _ identifier: [UInt8],
    _ named: [UInt8]?,
    _ store: Store,
    _ count: UInt64
  ) throws {
    guard try !fits(identifier, named, store, count) else { return }
    throw VaultFailure.vaultUnsafe(
      "the device secret is not the one of this store",
      hint: "put the device secret and the store of one backup back together"
    )
  }

  private static func fits(
    _ identifier: [UInt8],
    _ named: [UInt8]?,
    _ store: Store,
    _ count: UInt64
  ) throws(StorageError) -> Bool {
    if named == identifier { return true }
    let boxes =
      try store.allAccounts().compactMap(\.sealedRefreshToken)
      + store.allPrints().map(\.sealed)
    // Nothing was ever sealed: the secret may have been made anew.
    if named != nil { return boxes.isEmpty && count == 0 }
    // An older program named no secret; but a box says in plain which key it is for.
    let keys = boxes.compactMap { try? SealedBox(parsing: $0).keyIdentifier }
    return keys.isEmpty || keys.contains(identifier)
  }

  private struct Found {
    var mark: Mark?
    var isDamaged = false
    var isAuthentic = false
  }

  private static func found(
    _ identifier: [UInt8],
    _ key: borrowing SealingKey,
    in directory: StateDirectory
  ) throws -> Found {
    var found = Found()
    do throws(StorageError) {
      found.mark = try MarkFile.read(in: directory)
    } catch {
      guard case .damaged = error else { throw error }
      found.isDamaged = true
    }
    if let mark = found.mark, let code = mark.code {
      found.isAuthentic = try code == Vault.markCode(mark.count, of: identifier, using: key)
    }
    return found
  }

  private static func standing(
    _ found: Found,
    _ isFirstFormat: Bool,
    _ count: UInt64
  ) -> VaultStanding {
    if found.isDamaged { return .markDamaged }
    guard let mark = found.mark else {
      // The first programs made the mark after the first change: a crash in between left none.
      return count == 0 || isFirstFormat && count == 1 ? .current : .markMissing
    }
    if mark.code == nil {
      // Anybody could write such a mark: it counts for a store that never had another.
      guard isFirstFormat else { return .markDamaged }
      return count < mark.count ? .olderThanMark : .current
    }
    // Neither has counted anything yet: the device secret may have been made anew.
    if count == 0 && mark.count == 0 { return .current }
    guard found.isAuthentic else { return .markDamaged }
    if count < mark.count { return .olderThanMark }
    return count - mark.count <= 1 ? .current : .newerThanMark
  }
}
