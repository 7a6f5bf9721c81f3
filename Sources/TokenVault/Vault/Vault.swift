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
/// It is one actor, so that each database transaction is one step. A call that waits for an
/// exchange, a person or an orphaned exchange helper holds no transaction, and reads its state
/// again afterwards.
package actor Vault {
  let directory: StateDirectory
  let store: Store
  /// Sixteen random bytes, made with the store: a box of another vault does not open here.
  let identifier: [UInt8]
  let owner: UInt32
  let exchange: any TokenExchange
  let check: any PresenceChecker
  let clock: any VaultClock
  /// The slots of the machine key; `nil` if none is used.
  let machineKeySlots: MachineKeySlots?
  /// Set when a sync failed: the contents of the disk are unknown, and the store answers no more.
  nonisolated let storeIsLost = Atomic(false)
  /// Whether the user has rules for callers.
  package nonisolated let callerRulesOfUser = CallerRulesOfUser()
  /// The tokens that may be handed out again until their account changes.
  nonisolated let tokenCache = TokenCache()
  /// The tokens that the helpers of tools got of late.
  nonisolated let helperHandouts = Mutex(HelperHandouts())
  /// Counts the tokens whose callers have stated a reason.
  nonisolated let statedReasons = Mutex(UseCount())

  var storeState: StoreState
  var refreshes = RefreshQueue()
  var handedOut: HandedOutTokens
  var signIns = SignIns()
  var audit: AuditState
  var windowState: WindowState
  var watchers = WatcherBook()
  var providerState = ProviderState()
  /// The examination that runs now.
  var examination: Task<[VaultFinding], Never>?

  var prompting: Prompting
  var desktopState: DesktopState
  var ruleState: RuleState
  var enrollments = EnrollmentRuns()
  var moving: Moving

  /// Opens the vault in a state directory, or makes it there.
  ///
  /// - Parameters:
  ///   - directory: checked and locked.
  ///   - owner: the uid of the vault's user, which is part of every box.
  ///   - exchange: sends requests.
  ///   - check: asks the reader, or the PAM stack for the password.
  ///   - clock: the clocks of the engine.
  ///   - auditLimits: how much of the audit log is kept.
  ///   - windowGuard: sees what ends the unlock window from outside; `nil` if nothing does.
  ///   - rules: the rules of the machine's administrator.
  ///   - promptLimit: how often a person may be asked.
  ///   - locations: finds the locations of callers; `nil` if all callers have one location.
  ///   - agents: show prompts at the person's desktop; `nil` if the clients do that themselves.
  ///   - journal: gets a copy of each audit record; `nil` if there is none.
  ///   - seats: finds the sessions of callers and agents, if `locations` is `nil`.
  ///   - machineKeySlots: the slots of the machine key; `nil` if none is used.
  ///   - service: reaches the service from a private vault; `nil` in the service.
  /// - Throws: `vaultUnsafe` with the remedy if the store or the device secret is damaged, newer or
  ///   not safe. Nothing is changed then.
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
    locations: (any CallerLocations)? = nil,
    agents: (any DesktopAgents)? = nil,
    journal: (any AuditJournal)? = nil,
    seats: (any CallerLocations)? = nil,
    machineKeySlots: MachineKeySlots? = nil,
    service: (any ServiceTransfer)? = nil
  ) throws(VaultFailure) {
    self.directory = directory
    self.owner = owner
    self.exchange = exchange
    self.check = check
    self.clock = clock
    ruleState = RuleState(machine: rules)
    desktopState = DesktopState(agents: agents)
    windowState = WindowState(
      sessions: UserSessions(events: windowGuard, locations: locations, seats: seats)
    )
    self.machineKeySlots = machineKeySlots
    handedOut = HandedOutTokens(cache: tokenCache)
    do {
      var opening = try Opening(directory, of: owner, machineKeySlots)
      try opening.compare(machineKeySlots)
      let auditLog = AuditLog(store: opening.store, vault: opening.identifier, owner: owner)
      try opening.settle(of: owner, machineKeySlots) { keys in try auditLog.begin(using: keys) }
      store = opening.store
      identifier = opening.identifier
      if opening.freshness == .current { Self.removeLeavings(of: opening.store, in: directory) }
      prompting = Prompting(
        limit: promptLimit,
        attempts: try AttemptState(of: owner, in: opening.store, clock)
      )
      audit = AuditState(
        limits: auditLimits,
        journal: journal,
        progress: try Self.keptJournalProgress(in: opening.store)
      )
      moving = try Moving(in: opening.store, service: service)
      storeState = StoreState(opening)
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

  /// Whether this engine must end, so that the next one reads the real content of the disk.
  package nonisolated var hasLostItsStore: Bool { storeIsLost.load(ordering: .acquiring) }
}
