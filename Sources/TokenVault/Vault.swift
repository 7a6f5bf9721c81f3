internal import Configuration
internal import Cryptography
internal import Presence
internal import SecretMemory
public import Storage
internal import Synchronization
internal import System

/// The engine: the accounts of one owner, the gate, the refresh transaction, the unlock window and
/// the audit trail.
///
/// One actor, so that each database transaction is one step. Whoever waits inside it (for an
/// exchange, a person, an orphaned courier) holds no transaction, and looks again afterwards.
public actor Vault {
  let directory: StateDirectory
  let store: Store
  let deviceSecret: SealingKey
  let auditKey: SealingKey
  /// Sixteen random bytes, made with the store: a box of another vault does not open here.
  let identifier: [UInt8]
  let owner: UInt32
  let exchange: any TokenExchange
  let check: any PresenceCheck
  let clock: any VaultClock

  /// Set when a sync failed: what is on the disk is not known, and the store answers no more.
  nonisolated let storeIsLost = Atomic(false)

  var window: UnlockWindow?
  var prompts = PromptBook()
  var checks: [String: CheckRun] = [:]
  var checkCount: UInt64 = 0
  var notes: [String: PromptNote] = [:]
  var tries: FingerTries
  var backoff: PasswordBackoff
  var isSweeping = false
  var enrollments: [UInt64: EnrollmentRun] = [:]
  var followers: [String: [Follower]] = [:]
  var spenders: [String: [CheckedContinuation<Void, Never>]] = [:]
  var flights: [[UInt8]: Task<Result<AccessGrant, VaultFailure>, Never>] = [:]
  var recoveries: [[UInt8]: Task<Result<Void, VaultFailure>, Never>] = [:]
  var queues: [[UInt8]: [CheckedContinuation<Void, Never>]] = [:]
  var refusals: [String: Int] = [:]

  /// Opens the vault in a state directory, or makes it there.
  ///
  /// - Parameters:
  ///   - directory: checked and locked.
  ///   - owner: the uid whose vault this is; it stands in every box.
  ///   - exchange: sends requests.
  ///   - check: asks the reader and the password's stack.
  ///   - clock: the clocks to go by.
  /// - Throws: `vaultUnsafe` with the remedy where the store or the device secret is damaged,
  ///   newer, or not safe. Nothing is changed then.
  public init(
    directory: StateDirectory,
    owner: UInt32,
    exchange: any TokenExchange,
    check: any PresenceCheck,
    clock: any VaultClock
  ) throws(VaultFailure) {
    self.owner = owner
    self.exchange = exchange
    self.check = check
    self.clock = clock
    do {
      // The secret first: where it is refused, the store is not even opened.
      var opened: Store?
      let secret = try DeviceSecretFile.open(in: directory) { () throws(StorageError) in
        let store = try Self.openedStore(in: directory)
        opened = store
        return try store.hasSealedBoxes()
      }
      let store = if let opened { opened } else { try Self.openedStore(in: directory) }
      deviceSecret = try SealingKey(secret)
      auditKey = try deviceSecret.derived(for: "audit chain")
      identifier = try Self.identifier(in: store)
      tries = FingerTries(stored: try store.lockout(owner: owner)?.failures ?? 0)
      backoff = Self.storedBackoff(try store.passwordWait(owner: owner), clock)
      try store.leaveLogOnClose(false)
      self.store = store
      self.directory = directory
    } catch let error as StorageError {
      throw VaultFailure(error)
    } catch {
      throw .unexpected("the vault cannot be opened: \(error)")
    }
  }

  /// A store that is left as it was found, its log included, if the vault is refused after all.
  private static func openedStore(in directory: StateDirectory) throws(StorageError) -> Store {
    let hadLog = try Store.hasLog(in: directory)
    let store = try Store(in: directory)
    try store.leaveLogOnClose(hadLog)
    return store
  }

  /// Whether this engine must end, so that the next one reads what really is on the disk.
  public nonisolated var hasLostItsStore: Bool { storeIsLost.load(ordering: .acquiring) }

  /// The vault's sixteen random bytes, made with the store.
  private static func identifier(in store: Store) throws -> [UInt8] {
    if let known = try store.meta("vault") { return known }
    let fresh = try randomBytes(16)
    try store.transaction { try store.setMeta("vault", to: fresh) }
    return fresh
  }
}
