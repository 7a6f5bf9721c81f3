internal import GTK
internal import Observation
internal import PresenceTerms
internal import System
internal import VaultClient
internal import VaultInterface

/// The vault on the screen: its accounts, its lock, and why it cannot be used.
@Observable
@MainActor
final class VaultModel {
  /// What the page can show besides accounts.
  enum Place {
    case health
    case signIn
    case fingers
    case keys
    case activity
    case programs
    case settings
  }

  /// The accounts by their names.
  private(set) var items: [AccountItem] = []
  /// How often an account in `items` has changed.
  private(set) var updates = 0
  /// Whether the vault has told its accounts at least once.
  private(set) var isLoaded = false
  /// Why the vault cannot be used now.
  private(set) var trouble: Trouble?
  /// Whether a touch of a security key would open the vault.
  private(set) var needsKey = false
  /// Whether the vault is being opened by a security key.
  var isOpening: Bool { opening != nil }
  private var opening: Task<Void, Never>?
  /// Why the last touch did not open it.
  private(set) var openTrouble: Trouble?
  /// Whether the unlock window is open.
  private(set) var isUnlocked = false
  /// When the unlock window ends by itself, if no program uses it until then.
  private(set) var unlockEnd: BootInstant?
  /// Whether the accounts are hidden because the vault was locked.
  private(set) var isHidden = false
  /// How often the vault was locked.
  private(set) var locks = 0
  /// Why the vault could not be unlocked or locked.
  private(set) var lockTrouble: Trouble?
  /// Whether a call to unlock or lock runs.
  private(set) var isLocking = false
  /// The account on the page.
  private(set) var selected: AccountItem? {
    didSet { followUses() }
  }
  /// What the page shows instead of an account.
  private(set) var place: Place?
  /// What happened: a message that is shown for seconds.
  var news: String?
  /// What is left to the person: a message that is shown until it is closed.
  var notice: String?
  /// How often the vault may have changed.
  private(set) var changes = 0

  /// Whether the vault is to be locked, and was not yet.
  @ObservationIgnored
  private var isLockWanted = false
  /// Whether the person wants the vault unlocked once the lock that runs has ended.
  @ObservationIgnored
  private var isUnlockWanted = false
  @ObservationIgnored
  let link: VaultLink?
  /// The accounts that the unlock window covers; empty for all.
  @ObservationIgnored
  private var unlockedAccounts: [String] = []
  /// Waits for the moment at which the vault changes by itself.
  @ObservationIgnored
  private var moment: Delay?
  @ObservationIgnored
  private var reading: Task<Void, Never>?
  @ObservationIgnored
  private(set) var following: Task<Void, Never>?
  @ObservationIgnored
  private var isStale = false
  /// Follows the records of an account, under the name that it has then.
  @ObservationIgnored
  private var uses: (name: String, item: AccountItem, task: Task<Void, Never>)?

  /// Makes the model of a vault; without a link, of one that cannot be reached for a reason.
  init(_ link: VaultLink?, trouble: Trouble? = nil) {
    self.link = link
    self.trouble = trouble
  }

  /// Follows the vault until the program ends.
  func follow() async {
    guard let link else { return }
    while true {
      let task = Task {
        for await news in VaultFeed.news(from: link.location) { await take(news) }
      }
      following = task
      await task.value
    }
  }

  private func take(_ news: VaultNews) async {
    switch news {
    case .changed:
      changes += 1
      await read()
      if isLockWanted, !isLocking { await lock() }
    case .unreached(let error): fail(error)
    }
  }

  private func fail(_ error: VaultClientError) {
    (trouble, unlockEnd) = (Trouble(error), nil)
    if case .refused(.machineKeyNeeded) = error { needsKey = true } else { needsKey = false }
  }

  /// Opens the vault by a touch of its security key, or waits for the opening that runs.
  func open() async {
    guard let link else { return }
    let task = opening ?? Task { await open(over: link) }
    opening = task
    await task.value
  }

  private func open(over link: VaultLink) async {
    openTrouble = nil
    do throws(VaultClientError) {
      try await link.onThread { [desk = link.desk] calls throws(VaultClientError) in
        try desk.openVault(on: try calls.open())
      }
    } catch {
      openTrouble = Trouble(error)
    }
    await read()
    opening = nil
    // The feed waits for its next try: another one begins at once.
    if !needsKey { following?.cancel() }
  }

  // MARK: Reading

  /// Reads the vault again, and returns when what was there before this call is shown.
  func read() async {
    isStale = true
    let task = reading ?? Task { await readWhileStale() }
    reading = task
    await task.value
  }

  private func readWhileStale() async {
    // A call that runs may have missed a change.
    while isStale, let link {
      isStale = false
      do throws(VaultClientError) {
        let (status, accounts) = try await link.call { connection, _ throws(VaultClientError) in
          try Self.look(on: connection)
        }
        take(status, accounts)
      } catch {
        fail(error)
      }
    }
    reading = nil
  }

  private func take(_ status: VaultStatus, _ accounts: [VaultAccount]) {
    needsKey = false
    guard status.problem == nil else {
      (trouble, unlockEnd) = (Trouble(english: status.problem ?? "", advice: status.remedy), nil)
      return
    }
    trouble = nil
    show(accounts)
    isLoaded = true
    let covered = unlockedAccounts
    let isRemoved =
      !covered.isEmpty && covered.allSatisfy { name in !items.contains { $0.name == name } }
    // A removal ends the window of its account, while the person is here.
    if isUnlocked, !status.unlocked, !isRemoved { (isHidden, locks) = (true, locks + 1) }
    // What an earlier look has found says nothing about a lock that is on its way.
    if status.unlocked, !isLocking, !isLockWanted { isHidden = false }
    unlockedAccounts = status.unlockedAccounts
    isUnlocked = status.unlocked
    let left = status.unlocked ? status.unlockedFor : nil
    unlockEnd = left.map { BootInstant.now.advanced(bySeconds: Int64($0)) }
    awaitChange(status, accounts)
  }

  private func show(_ accounts: [VaultAccount]) {
    let names = Set(accounts.map(\.name))
    // The calls that wait for the end of a renaming are about the same account.
    let known = Dictionary(
      items.map { (names.contains($0.name) ? $0.name : $0.nextName ?? $0.name, $0) }
    ) { first, _ in first }
    var isUpdated = false
    let now = accounts.sorted { $0.name < $1.name }.map { account in
      guard let item = known[account.name] else { return AccountItem(account) }
      if item.update(account) { isUpdated = true }
      return item
    }
    if isUpdated { updates += 1 }
    if !now.elementsEqual(items, by: ===) { items = now }
    if let shown = selected, present(shown) == nil { selected = nil }
    followUses()
  }

  /// Reads again when the unlock window closes or an access token expires by itself.
  private func awaitChange(_ status: VaultStatus, _ accounts: [VaultAccount]) {
    moment?.cancel()
    let now = Int(WallTime.now.seconds)
    let ends = accounts.compactMap { AccountValidity.change(of: $0, at: now) }
    guard let next = (ends + [status.unlockedFor].compactMap(\.self)).min() else { return }
    moment = Delay(seconds: next + 1) { [weak self] in Task { await self?.read() } }
  }

  // MARK: The lock

  /// Asks for a presence check, and opens the unlock window.
  func unlock() async {
    guard !isLocking else {
      isUnlockWanted = isLockWanted
      return
    }
    isLockWanted = false
    // Without its machine key the vault unlocks nothing, and only this page is on the screen.
    if needsKey { await open() }
    guard !needsKey else {
      lockTrouble = openTrouble
      return
    }
    let before = locks
    let isDone = await locking { connection, prompt throws(VaultClientError) in
      _ = try connection.call(UnlockCall(accounts: [], prompt: prompt, ask: true))
    }
    // The person may have left during the check.
    if isLockWanted { return await lock() }
    // Without logind the unlock window ends with its connection, and is never seen.
    if isUnlocked || (isDone && locks == before) { isHidden = false }
  }

  /// Closes the unlock window, and hides the accounts.
  ///
  /// If the vault cannot be locked now, the accounts stay hidden, and it is locked as soon as it
  /// can be.
  func lock() async {
    guard link != nil else { return }
    // Hidden at once: the person may be leaving. Without accounts, the page says what is wrong.
    if isLoaded { isHidden = true }
    locks += 1
    (isLockWanted, isUnlockWanted) = (true, false)
    let isDone = await locking { connection, _ throws(VaultClientError) in
      _ = try connection.call(LockCall())
    }
    if isDone { isLockWanted = false }
    if isUnlockWanted { await unlock() }
  }

  /// Makes a call that unlocks or locks, and tells whether it succeeded.
  private func locking(
    _ body: @escaping @Sendable (Connection, String?) throws(VaultClientError) -> Void
  ) async -> Bool {
    guard let link, !isLocking else { return false }
    isLocking = true
    defer { isLocking = false }
    do throws(VaultClientError) {
      try await link.call(again: .untilPrompted, body)
      lockTrouble = nil
      await read()
      return true
    } catch {
      lockTrouble = Trouble(error)
      if case .refused(.machineKeyNeeded) = error { needsKey = true }
      return false
    }
  }

  /// Shows an account on the page, or none if it is no longer there.
  func select(_ item: AccountItem) { (selected, place) = (present(item), nil) }

  /// Shows a place on the page.
  func open(_ place: Place) { (selected, self.place) = (nil, place) }

  /// Follows the records of the account on the page, and no others.
  private func followUses() {
    guard uses?.item !== selected || uses?.name != selected?.name else { return }
    uses?.task.cancel()
    uses = nil
    guard let link, let item = selected else { return }
    let news = UsesFeed.uses(of: item.name, at: link.location)
    let task = Task {
      for await records in news where !Task.isCancelled && records != item.uses {
        item.uses = records
      }
    }
    uses = (item.name, item, task)
  }
}
