internal import Storage
internal import Synchronization
public import System
public import TokenVault
internal import VaultInterface

/// The vaults that an engine answers for, by the uid of who asks: one of one user, or those of all.
///
/// Those of all are opened by the first call of their user and closed when nothing is left of it.
public final class Vaults: Sendable {
  /// Opens the vault of a user who has this login name, or none; it may block.
  public typealias Opener = @Sendable (_ user: UInt32, _ name: String?) throws -> Vault

  /// A vault that is open.
  struct Opened {
    let vault: Vault
    /// The login name that its user had then; `nil` if nobody else can be served.
    let name: String?
    /// Which opening this is; 0: that of the one vault of one user.
    let number: UInt64
  }

  enum Place {
    case opening(Task<Result<Opened, VaultFailure>, Never>)
    case open(Opened)
  }

  struct Entry {
    var place: Place
    /// The calls that are at work in it: each until it ends, not until its caller does.
    var calls = 0
    /// Those of them that nobody would miss.
    var passing = 0
    /// Rises with each call.
    var uses: UInt64 = 0
    var lastUse = BootInstant.now
  }

  struct State {
    var entries: [UInt32: Entry] = [:]
    /// The number of the opening that was begun last.
    var openings: UInt64 = 0
    /// Openings of vaults whose callers are to come anew.
    var lost: Set<UInt64> = []
    /// Users whose vault is being removed: nobody is served by it any more.
    var removing: Set<UInt32> = []
    /// Refused callers of users without an open vault.
    var strangers: [String: Int] = [:]
  }

  /// How long a vault is kept that nobody uses, in seconds.
  static let restSeconds: Int64 = 180
  /// How often, 50 ms apart, an opening tries again while the vault that was closed last still ends.
  private static let mostTries = 200
  /// The most calls of one user at once.
  ///
  /// Whoever is connected has one at a time: there are more than connections only where callers went
  /// and left theirs behind.
  private static let mostCalls = 128
  /// The same for the one user whose vault this is: as many as the connections.
  private static let mostOfOne = 256
  /// The most kinds of refusals that are counted for users without a vault.
  static let mostStrangers = 64

  /// Which form of the vault this is.
  let form: VaultForm
  private let opener: Opener?
  private let names: LoginNames
  /// What root may do to vaults; `nil` if there is one user's only.
  let care: UserCare?
  /// The one user who is served; nil: everybody.
  let onlyUser: UInt32?
  let state: Mutex<State>
  /// Set when a vault was lost.
  let hasLost = Atomic(false)
  /// Whether nothing that was opened would be lost with this process, when last asked.
  let isRestful = Atomic(false)

  /// The one vault of one user.
  public init(_ vault: Vault, of user: UInt32) {
    form = .private
    opener = nil
    care = nil
    names = LoginNames { _ in nil }
    onlyUser = user
    let opened = Opened(vault: vault, name: nil, number: 0)
    state = Mutex(State(entries: [user: Entry(place: .open(opened))]))
  }

  /// The vaults of all users.
  ///
  /// - Parameters:
  ///   - opener: opens one.
  ///   - name: looks up the login name that a user has now; it may block.
  ///   - list: how the machine's list of users stands, so that a name need not be looked up again for
  ///     a second while that does not change; nil: it is looked up for each connection.
  ///   - care: what root may do to vaults.
  public init(
    opening opener: @escaping Opener,
    name: @escaping @Sendable (_ user: UInt32) -> String?,
    list: @escaping @Sendable () -> FileStamp? = { nil },
    care: UserCare? = nil
  ) {
    form = .service
    self.care = care
    self.opener = opener
    names = LoginNames(by: name, list: list)
    onlyUser = nil
    state = Mutex(State())
  }

  /// Whether callers of this user are listened to.
  func serves(_ user: UInt32) -> Bool { onlyUser == nil || user == onlyUser }

  /// Lends the vault of a user, opened first where it is not.
  ///
  /// Without a recognition the engine itself asks, which knows whose vault it is.
  ///
  /// - Parameters:
  ///   - user: whose it is.
  ///   - recognition: what is known of the connection that asks.
  ///   - keeps: whether that keeps it open for a while; it is a call then, of which a user has so many.
  ///   - isPassing: whether the process may end without waiting for it.
  ///   - body: gets it.
  /// - Returns: what `body` returns.
  /// - Throws: why it cannot be opened: that user's affair alone; `busy`.
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

  /// Whether the user is still who the vault was opened for, by the login name, which is looked up
  /// once for a connection that outlasts the last look; where not, the vault is closed.
  private func recognizes(
    _ recognition: Recognition?,
    of user: UInt32,
    in opened: Opened
  ) async throws(VaultFailure) -> Bool {
    guard let recognition, !isRecognized(recognition, of: user, in: opened) else { return true }
    let now = BootInstant.now
    // What cannot be found out just now says nothing of who was there before.
    guard let name = try await name(of: user) else {
      throw .refused("user \(user) has no name on this machine")
    }
    guard name == opened.name else {
      await dismiss(opened, of: user)
      return false
    }
    recognition.note(opened.number, by: now)
    return true
  }

  /// Whether a connection is that of whom the vault was opened for, without a look that takes time.
  func isRecognized(
    _ recognition: Recognition,
    of user: UInt32,
    in opened: Opened
  ) -> Bool {
    if recognition.isSettled(for: opened.number) { return true }
    guard let found = names.recent(of: user), found.name == opened.name else { return false }
    recognition.note(opened.number, by: found.begun)
    return true
  }

  /// The login name that a user has now, as far as it can be found out.
  func look(for user: UInt32) async -> Result<String?, SystemError> {
    do throws(SystemError) {
      return .success(try await names.name(of: user))
    } catch {
      return .failure(error)
    }
  }

  private func name(of user: UInt32) async throws(VaultFailure) -> String? {
    do throws(SystemError) {
      return try await names.name(of: user)
    } catch {
      throw .unexpected("the name of user \(user) cannot be looked up: \(error)")
    }
  }

  /// Closes the vault of somebody whose uid is another person's now.
  ///
  /// What had been opened in it ends, and who is connected to it; the one on the disk opens to nobody
  /// but whom it was made for.
  private func dismiss(_ opened: Opened, of user: UInt32) async {
    let isOpen = state.withLock { state in
      guard case .open(let current)? = state.entries[user]?.place, current.number == opened.number
      else { return false }
      state.entries[user] = nil
      state.lost.insert(opened.number)
      return true
    }
    guard isOpen else { return }
    hasLost.store(true, ordering: .releasing)
    await opened.vault.endWindows(because: "the user has another login name")
    // It waits for checks that end.
    Task { await opened.vault.retire() }
  }

  private func borrow(
    _ user: UInt32,
    _ keeps: Bool,
    _ isPassing: Bool
  ) async throws(VaultFailure) -> Opened {
    let most = onlyUser == nil ? Self.mostCalls : Self.mostOfOne
    // One look for both: a vault that is being removed must not be opened again meanwhile.
    let found: Found = state.withLock { state in
      guard !state.removing.contains(user) else { return .removing }
      if var entry = state.entries[user] {
        guard !keeps || entry.calls < most else { return .full }
        entry.calls += 1
        if isPassing { entry.passing += 1 }
        entry.uses += 1
        if keeps { entry.lastUse = .now }
        state.entries[user] = entry
        return .place(entry.place)
      }
      let task = Task { await self.opened(user) }
      let passing = isPassing ? 1 : 0
      state.entries[user] = Entry(place: .opening(task), calls: 1, passing: passing, uses: 1)
      return .place(.opening(task))
    }
    switch found {
    case .removing: throw .isBeingRemoved(user)
    case .full:
      throw .busy("\(most) calls of user \(user) are under way: ask again when some have ended")
    case .place(.open(let opened)): return opened
    case .place(.opening(let task)): return try await task.value.get()
    }
  }

  /// What a call finds of the vault that it asks for.
  private enum Found {
    case place(Place)
    case full
    case removing
  }

  func giveBack(
    _ user: UInt32,
    _ opened: Opened,
    _ keeps: Bool,
    _ isPassing: Bool
  ) {
    let isLost = opened.vault.hasLostItsStore
    state.withLock { state in
      guard var entry = state.entries[user], case .open(let current) = entry.place,
        current.number == opened.number
      else { return }
      entry.calls -= 1
      if isPassing { entry.passing -= 1 }
      if keeps { entry.lastUse = .now }
      state.entries[user] = entry
      guard isLost else { return }
      // The next one reads what really is on the disk.
      state.lost.insert(opened.number)
      if onlyUser == nil { state.entries[user] = nil }
    }
    if isLost { hasLost.store(true, ordering: .releasing) }
  }

  /// Opens a vault on a thread of its own, for all who wait for it.
  private func opened(_ user: UInt32) async -> Result<Opened, VaultFailure> {
    let result: Result<(Vault, String?), VaultFailure>
    do throws(VaultFailure) {
      let name = try await name(of: user)
      result = await open(user, name).map { ($0, name) }
    } catch {
      result = .failure(error)
    }
    return state.withLock { state in
      switch result {
      case .success((let vault, let name)):
        state.openings += 1
        let opened = Opened(vault: vault, name: name, number: state.openings)
        state.entries[user]?.place = .open(opened)
        return .success(opened)
      case .failure(let error):
        // Whoever asks next tries anew.
        state.entries[user] = nil
        return .failure(error)
      }
    }
  }

  private func open(_ user: UInt32, _ name: String?) async -> Result<Vault, VaultFailure> {
    guard let opener else { return .failure(.refused("this vault is another user's")) }
    var tries = 0
    while true {
      let opened = await onThread { () throws in try opener(user, name) }
      switch opened {
      case .success(let vault): return .success(vault)
      // Two engines are impossible here: it is our own, which was closed and still ends.
      case .failure(StorageError.inUse) where tries < Self.mostTries:
        tries += 1
        try? await Task.sleep(nanoseconds: 50_000_000)
      case .failure(let failure as VaultFailure): return .failure(failure)
      case .failure(let error as StorageError): return .failure(VaultFailure(error))
      case .failure(let error):
        return .failure(.unexpected("the vault cannot be opened: \(error)"))
      }
    }
  }
}
