package import AuditLog
internal import Configuration
internal import Cryptography
package import Presence
internal import SecretMemory
package import Storage
internal import Synchronization
internal import System

/// The engine: the accounts of one owner, the gate, the refresh transaction, the unlock window and
/// the audit log.
///
/// One actor, so that each database transaction is one step. Whoever waits inside it (for an
/// exchange, a person, an orphaned exchange helper) holds no transaction, and looks again
/// afterwards.
public actor Vault {
  let directory: StateDirectory
  let store: Store
  // What everything is sealed and authenticated under; a rekey replaces all three.
  var deviceSecret: SealingKey
  var auditKeys: AuditKeys
  var counterKey: SealingKey
  /// Sixteen random bytes, made with the store: a box of another vault does not open here.
  let identifier: [UInt8]
  let owner: UInt32
  let exchange: any TokenExchange
  let check: any PresenceChecker
  let clock: any VaultClock
  /// Sees what ends the window from outside; nil: nothing does.
  let windowGuard: (any SessionEvents)?
  /// Finds the locations of callers; `nil` if all callers have one location.
  let locations: (any CallerLocations)?

  /// Set when a sync failed: what is on the disk is not known, and the store answers no more.
  nonisolated let storeIsLost = Atomic(false)

  /// Whether the store may be used, or is an old copy.
  var freshness: StoreFreshness
  /// The value of the rollback counter.
  var counterValue: UInt64
  /// Whether a change was counted that the rollback counter does not show yet.
  var isCounterBehind = false
  /// The store is sealed under a device secret that is not in its place yet.
  var isRekeyUnfinished: Bool
  /// One at a time works on all accounts.
  var isHoldingAllAccounts = false

  var windows = UnlockWindows() {
    didSet { wakeWatchers() }
  }
  /// How often all were ended from outside.
  var windowEnds: UInt64 = 0
  /// How many are about to be opened.
  var windowsBeginning = 0
  var prompts = PromptBook()
  var promptLimit: PromptLimit
  var checks: [String: CheckRun] = [:]
  /// What looks the vault through just now.
  var examination: Task<[VaultFinding], Never>?
  var checkCount: UInt64 = 0
  /// The one helper that was started ahead, and the prompt whose check it waits for.
  var prepared: (prompt: String, program: (any PreparedCheck)?)?
  /// The finger that is asked next where the reader takes one print at a time.
  var nextFinger: String?
  var notes: [String: PromptContext] = [:]
  var tries: FingerTries
  var backoff: PasswordBackoff
  var isSweeping = false
  var enrollments: [UInt64: EnrollmentRun] = [:]
  /// Enrolments whose helper has not ended yet.
  var takingPrints = 0
  var joinedWaiters: [String: [JoinedWaiter]] = [:]
  var proofWaiters: [String: [CheckedContinuation<Void, Never>]] = [:]
  /// Prompts that were shown when another one for the same question was passed, by that one.
  var answered: [String: String] = [:]
  var refreshTasks: [[UInt8]: RefreshTask] = [:]
  /// The accounts whose last refresh failed: nothing is refreshed ahead for them.
  var failing: Set<[UInt8]> = []
  /// The access tokens that were handed out from the store, by when they were stored.
  var uses: [TokenCacheKey: Int64] = [:]
  /// What was handed out and may be again, until its account changes.
  nonisolated let tokenCache = TokenCache()
  /// Scopes that were not granted, until a caller that gets the token is told.
  var ungrantedScopes: [TokenCacheKey: String] = [:] {
    didSet { if ungrantedScopes != oldValue { tokenCache.takeAllBack() } }
  }
  var recoveries: [[UInt8]: Task<Result<Void, VaultFailure>, Never>] = [:]
  var queues: [[UInt8]: [CheckedContinuation<Void, Never>]] = [:]
  var logins = PendingSignIns()
  var watchers = WatcherBook()
  var documents = MetadataCache()
  /// When a provider that answered 429 may be asked again for an account's tokens.
  var retryAfter: [[UInt8]: BootInstant] = [:]
  var uncheckedTokens: [[UInt8]: UncheckedToken] = [:]
  /// Refresh tokens that are not kept, by the intent of their exchange, until they are revoked.
  var discarded: [[UInt8]: DiscardedToken] = [:]
  /// Logins that would replace a protected account, by their intents: between the answer and whoever
  /// called for it, in one step.
  var heldSignIns: [[UInt8]: HeldSignIn] = [:]
  /// The same while a person is asked, by the prompt.
  var heldByPrompt: [String: HeldSignIn] = [:]
  let rules: any MachineRules
  var refusals = RefusalCount()
  var quietChecks = QuietChecks()
  /// How often the one token of a provider was opened without a check.
  var openings = OpeningCount()
  let auditLimits: AuditLimits
  /// When the audit log was last looked through for what is too old; nil before the first time.
  var lastPruning: BootInstant?
  var recordsSincePruning = 0

  /// Opens the vault in a state directory, or makes it there.
  ///
  /// - Parameters:
  ///   - directory: checked and locked.
  ///   - owner: the uid whose vault this is; it stands in every box.
  ///   - exchange: sends requests.
  ///   - check: asks the reader and the password's stack.
  ///   - clock: the clocks to go by.
  ///   - auditLimits: how much of the audit log is kept.
  ///   - windowGuard: sees what ends the unlock window from outside; nil: nothing does.
  ///   - rules: what the administrator of the machine has laid down.
  ///   - promptLimit: how often somebody may be asked.
  ///   - locations: finds the locations of callers; `nil` if all callers have one location.
  /// - Throws: `vaultUnsafe` with the remedy where the store or the device secret is damaged,
  ///   newer, or not safe. Nothing is changed then.
  package init(
    directory: StateDirectory,
    owner: UInt32,
    exchange: any TokenExchange,
    check: any PresenceChecker,
    clock: any VaultClock,
    auditLimits: AuditLimits = .standard,
    windowGuard: (any SessionEvents)? = nil,
    rules: any MachineRules = NoRules(),
    promptLimit: PromptLimit = PromptLimit(),
    locations: (any CallerLocations)? = nil
  ) throws(VaultFailure) {
    self.auditLimits = auditLimits
    self.windowGuard = windowGuard
    self.rules = rules
    self.promptLimit = promptLimit
    self.locations = locations
    self.owner = owner
    self.exchange = exchange
    self.check = check
    self.clock = clock
    self.directory = directory
    do {
      var opening = try Opening(directory)
      let auditLog = AuditLog(store: opening.store, vault: opening.identifier, owner: owner)
      try opening.settle { keys in try auditLog.begin(using: keys) }
      store = opening.store
      identifier = opening.identifier
      freshness = opening.freshness
      isRekeyUnfinished = opening.isRekeyUnfinished
      counterValue = opening.counterValue
      if opening.freshness == .current { Self.removeLeavings(of: opening.store, in: directory) }
      deviceSecret = opening.keys.secret
      auditKeys = opening.keys.audit
      counterKey = opening.keys.counter
      tries = FingerTries(stored: try opening.store.lockout(owner: owner)?.failures ?? 0)
      backoff = Self.storedBackoff(try opening.store.passwordWait(owner: owner), clock)
    } catch let error as StorageError {
      throw VaultFailure(error)
    } catch AuditFailure.storage(let error) {
      throw VaultFailure(error)
    } catch let failure as VaultFailure {
      throw failure
    } catch {
      throw .unexpected("the vault cannot be opened: \(error)")
    }
  }

  /// Whether this engine must end, so that the next one reads what really is on the disk.
  public nonisolated var hasLostItsStore: Bool { storeIsLost.load(ordering: .acquiring) }
}
