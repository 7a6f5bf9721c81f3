internal import Storage
internal import Synchronization
package import System
package import TokenVault
internal import Varlink
internal import VaultInterface

/// The vaults that an engine serves, by the caller's uid: the vault of one user, or those of all
/// users.
///
/// The vaults of all users are opened by the first call of their user, and closed when they are
/// idle.
package final class Vaults: Sendable {
  /// Opens the vault of a user, who has this user name or none.
  ///
  /// It may block.
  package typealias Opener = @Sendable (_ user: UInt32, _ name: String?) throws -> Vault

  struct Opened {
    let vault: Vault
    /// The user name at the time of the opening; `nil` if only one user is served.
    let name: String?
    /// The number of this opening; 0 for the one vault of one user.
    let number: UInt64
  }

  enum Phase {
    case opening(Task<Result<Opened, VaultFailure>, Never>)
    case open(Opened)
  }

  struct Entry {
    var phase: Phase
    /// The calls that run in the vault.
    ///
    /// A call counts until it ends, even if its caller has left.
    var calls = 0
    /// The calls among them that may be dropped.
    var passing = 0
    /// Incremented with each call.
    var uses: UInt64 = 0
    var lastUse = BootInstant.now
  }

  struct State {
    var entries: [UInt32: Entry] = [:]
    /// The number of the last opening that was begun.
    var openings: UInt64 = 0
    /// Openings of vaults whose callers must connect again.
    var lost: Set<UInt64> = []
    /// Users whose vault is being removed.
    ///
    /// Their callers are not served any more.
    var removing: Set<UInt32> = []
    /// Refused callers of users without an open vault.
    var strangers: [String: Int] = [:]
  }

  /// How long an unused vault is kept open, in seconds.
  static let restSeconds: Int64 = 180
  /// How often, 50 ms apart, an opening is tried again while the closed vault still ends.
  static let mostTries = 200
  /// The most calls of one user at once.
  ///
  /// A connection has one call at a time. There are more calls than connections only if callers
  /// left while their calls ran.
  private static let mostCalls = 128
  /// The same for an engine of one user: as many as the connections.
  private static let mostOfOne = 256
  /// The most kinds of refusals that are counted for users without a vault.
  static let mostStrangers = 64

  let form: VaultForm
  let opener: Opener?
  let names: UserNameCache
  /// The administrator's rules.
  let rules: any MachineRules
  /// The rules for callers, as they were found last.
  let cachedRules = Mutex(CachedRules())
  /// Root's actions on vaults; `nil` in an engine of one user.
  let care: UserAccounts?
  /// The slots of the machine key, and their changes.
  let slotChanges: SlotChanges
  /// The agents of all users; `nil` if prompts are not shown at desktops.
  let agents: AgentTable?
  /// The one user who is served; `nil` if all users are.
  let onlyUser: UInt32?
  let state: Mutex<State>
  /// Set when a vault was lost.
  let hasLost = Atomic(false)
  /// Whether the process can end without a loss, by the last result.
  let isRestful = Atomic(false)

  /// Makes a table for the vault of one user.
  ///
  /// - Parameters:
  ///   - vault: the vault; `nil` if the machine key could not be opened.
  ///   - user: the user.
  ///   - agents: the table that the vault uses too; `nil` if prompts are not shown at desktops.
  ///   - slots: the slots of the machine key; `nil` if none is used.
  ///   - opener: opens a vault that is not open.
  package init(
    _ vault: Vault?,
    of user: UInt32,
    agents: AgentTable? = nil,
    slots: MachineKeySlots? = nil,
    opener: Opener? = nil
  ) {
    form = .private
    self.opener = opener
    slotChanges = SlotChanges(slots)
    care = nil
    self.agents = agents
    rules = NoRules()
    names = UserNameCache { _ in nil }
    onlyUser = user
    let opened = vault.map { Entry(phase: .open(Opened(vault: $0, name: nil, number: 0))) }
    state = Mutex(State(entries: opened.map { [user: $0] } ?? [:]))
  }

  /// Makes a table for the vaults of all users.
  ///
  /// - Parameters:
  ///   - opener: opens a vault.
  ///   - name: looks up the user name that a user has now. It may block.
  ///   - list: a stamp of the machine's user list. While it does not change, a name is valid for a
  ///     second without another lookup. If it is `nil`, a name is looked up for each connection.
  ///   - care: root's actions on vaults.
  ///   - agents: the table that the vaults use too; `nil` if prompts are not shown at desktops.
  ///   - rules: the administrator's rules, which the vaults use too.
  ///   - slots: the slots of the machine key, which the vaults use too; `nil` if none is used.
  package init(
    opening opener: @escaping Opener,
    name: @escaping @Sendable (_ user: UInt32) -> String?,
    list: @escaping @Sendable () -> FileStamp? = { nil },
    care: UserAccounts? = nil,
    agents: AgentTable? = nil,
    rules: any MachineRules = NoRules(),
    slots: MachineKeySlots? = nil
  ) {
    form = .service
    slotChanges = SlotChanges(slots)
    self.agents = agents
    self.rules = rules
    self.care = care
    self.opener = opener
    names = UserNameCache(by: name, list: list)
    onlyUser = nil
    state = Mutex(State())
  }

  func serves(_ user: UInt32) -> Bool { onlyUser == nil || user == onlyUser }

  /// Lends the vault of a user.
  ///
  /// It is opened first if it is not open.
  ///
  /// A call without a recognition comes from the engine itself, which knows the owner of the vault.
  ///
  /// - Parameters:
  ///   - user: the owner of the vault.
  ///   - recognition: the known facts about the connection that asks.
  ///   - keeps: whether this use keeps the vault open for a while. It then counts as a call, of
  ///     which a user may have a limited number.
  ///   - isPassing: whether the process may end without waiting for it.
  ///   - body: gets the vault.
  /// - Returns: the result of `body`.
  /// - Throws: why the vault cannot be opened, which concerns only that user; `busy`.
  func use<Value: Sendable>(
    of user: UInt32,
    by recognition: Recognition? = nil,
    keeps: Bool = true,
    isPassing: Bool = false,
    _ body: (Vault) async throws(VaultFailure) -> Value
  ) async throws(VaultFailure) -> Value {
    while true {
      let opened = try await borrow(user, keeps, isPassing)
      defer { giveBack(user, opened, keeps, isPassing) }
      guard try await recognizes(recognition, of: user, in: opened) else { continue }
      return try await body(opened.vault)
    }
  }

  /// Closes the vault of a previous user whose uid now belongs to another person.
  ///
  /// Its open windows and its connections end. The vault on the disk opens only for the user that
  /// it was made for.
  func dismiss(_ opened: Opened, of user: UInt32) async {
    let isOpen = state.withLock { state in
      guard case .open(let current)? = state.entries[user]?.phase, current.number == opened.number
      else { return false }
      state.entries[user] = nil
      state.lost.insert(opened.number)
      return true
    }
    guard isOpen else { return }
    hasLost.store(true, ordering: .releasing)
    await opened.vault.endWindows(because: "the uid has another user name")
    // Retiring waits for checks that end.
    Task { await opened.vault.retire() }
  }

  private func borrow(
    _ user: UInt32,
    _ keeps: Bool,
    _ isPassing: Bool
  ) async throws(VaultFailure) -> Opened {
    let most = onlyUser == nil ? Self.mostCalls : Self.mostOfOne
    // Check both under one lock: a vault that is being removed must not be opened again in between.
    let found: Found = state.withLock { state in
      guard !state.removing.contains(user) else { return .removing }
      if var entry = state.entries[user] {
        guard !keeps || entry.calls < most else { return .full }
        entry.calls += 1
        if isPassing { entry.passing += 1 }
        entry.uses += 1
        if keeps { entry.lastUse = .now }
        state.entries[user] = entry
        return .phase(entry.phase)
      }
      let task = Task { await self.opened(user) }
      let passing = isPassing ? 1 : 0
      state.entries[user] = Entry(phase: .opening(task), calls: 1, passing: passing, uses: 1)
      return .phase(.opening(task))
    }
    switch found {
    case .removing: throw .isBeingRemoved(user)
    case .full:
      throw .busy("\(most) calls of user \(user) are under way: ask again when some have ended")
    case .phase(.open(let opened)): return opened
    case .phase(.opening(let task)): return try await task.value.get()
    }
  }

  /// The state of the vault that a call asks for.
  private enum Found {
    case phase(Phase)
    case full
    case removing
  }

  func giveBack(_ user: UInt32, _ opened: Opened, _ keeps: Bool, _ isPassing: Bool) {
    let isLost = opened.vault.hasLostItsStore
    state.withLock { state in
      guard var entry = state.entries[user], case .open(let current) = entry.phase,
        current.number == opened.number
      else { return }
      entry.calls -= 1
      if isPassing { entry.passing -= 1 }
      if keeps { entry.lastUse = .now }
      state.entries[user] = entry
      guard isLost else { return }
      // The next opening reads the state that is on the disk.
      state.lost.insert(opened.number)
      if onlyUser == nil { state.entries[user] = nil }
    }
    if isLost { hasLost.store(true, ordering: .releasing) }
  }
}
