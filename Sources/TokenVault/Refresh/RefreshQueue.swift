internal import System

/// The steps that work on accounts: one at a time for each account, and one refresh at a time.
struct RefreshQueue {
  /// A task that finishes what an earlier exchange left behind.
  typealias Recovery = Task<Result<Void, VaultFailure>, Never>

  /// The steps that wait for each account that is worked on.
  private(set) var waiting: [[UInt8]: [CheckedContinuation<Void, Never>]] = [:]
  private var refreshes: [[UInt8]: RefreshTask] = [:]
  private var recoveries: [[UInt8]: Recovery] = [:]
  /// The accounts whose last refresh failed: nothing is refreshed ahead for them.
  private(set) var failed: Set<[UInt8]> = []
  /// When a provider that answered 429 may be asked again.
  private var retryAfter: [[UInt8]: BootInstant] = [:]
  /// Whether one step works on all accounts.
  private(set) var isHoldingAll = false
  var unwritten = UnwrittenAnswers()

  /// Whether no account is worked on.
  var isEmpty: Bool { refreshes.isEmpty && recoveries.isEmpty && waiting.isEmpty }

  // MARK: - One at a time

  func isEntered(_ account: [UInt8]) -> Bool { waiting[account] != nil }

  /// Enters an account; `false` if another step works on it.
  mutating func enter(_ account: [UInt8]) -> Bool {
    guard waiting[account] == nil else { return false }
    waiting[account] = []
    return true
  }

  mutating func wait(for account: [UInt8], _ turn: CheckedContinuation<Void, Never>) {
    waiting[account, default: []].append(turn)
  }

  /// Leaves an account, and lets the next step in.
  mutating func leave(_ account: [UInt8]) {
    guard var others = waiting[account], !others.isEmpty else {
      waiting[account] = nil
      return
    }
    let next = others.removeFirst()
    waiting[account] = others
    next.resume()
  }

  /// Begins the one step that works on all accounts; `false` if there is one already.
  mutating func holdAll() -> Bool {
    guard !isHoldingAll else { return false }
    isHoldingAll = true
    return true
  }

  mutating func releaseAll() { isHoldingAll = false }

  // MARK: - Refreshes

  func refresh(of account: [UInt8]) -> RefreshTask? { refreshes[account] }

  mutating func begin(_ refresh: RefreshTask, of account: [UInt8]) { refreshes[account] = refresh }

  mutating func endRefresh(of account: [UInt8], hasFailed: Bool) {
    refreshes[account] = nil
    if hasFailed { failed.insert(account) }
  }

  /// The recovery of an account; starts one if there is none.
  mutating func recovery(of account: [UInt8], _ start: () -> Recovery) -> Recovery {
    if let running = recoveries[account] { return running }
    let started = start()
    recoveries[account] = started
    return started
  }

  mutating func endRecovery(of account: [UInt8]) { recoveries[account] = nil }

  // MARK: - What is known of an account

  mutating func noteToken(of account: [UInt8]) { failed.remove(account) }

  mutating func noteRetryAfter(_ end: BootInstant, of account: [UInt8]) {
    retryAfter[account] = end
  }

  /// The seconds until the provider of an account may be asked again; `nil` if it may be now.
  mutating func retryWait(of account: [UInt8], at now: BootInstant) -> Int64? {
    guard let end = retryAfter[account] else { return nil }
    let wait = -now.seconds(since: end)
    if wait > 0 { return wait }
    retryAfter[account] = nil
    return nil
  }

  /// Forgets what is known of an account whose login has ended.
  mutating func forget(_ account: [UInt8]) {
    failed.remove(account)
    retryAfter[account] = nil
    unwritten.drop(of: account)
  }
}

// How other folders reach the queue.
extension Vault {
  /// Whether an exchange with a provider runs, or the recovery of one, which must not be cut off.
  package var isAtWork: Bool { !refreshes.isEmpty }

  /// Whether a refresh of an account runs.
  func isRefreshing(_ account: [UInt8]) -> Bool { refreshes.refresh(of: account) != nil }

  /// A token of an account has come: its last refresh has not failed.
  func noteToken(of account: [UInt8]) { refreshes.noteToken(of: account) }

  /// Waits until no other step works on the account.
  ///
  /// No transaction is open during the wait.
  func enter(_ account: [UInt8]) async {
    guard !refreshes.enter(account) else { return }
    await withCheckedContinuation { refreshes.wait(for: account, $0) }
  }

  /// Leaves an account, and lets the next step in.
  func leave(_ account: [UInt8]) { refreshes.leave(account) }

  /// Whether only memory has an answer.
  var hasUnwrittenAnswers: Bool { !refreshes.unwritten.isEmpty }

  /// Begins the one step that works on all accounts; `false` if there is one already.
  func holdAllAccounts() -> Bool { refreshes.holdAll() }

  func releaseAllAccounts() { refreshes.releaseAll() }

  /// Whether one step works on all accounts.
  var isHoldingAllAccounts: Bool { refreshes.isHoldingAll }
}
