internal import Configuration
internal import Cryptography
package import Storage
internal import Synchronization
internal import System
internal import TokenFile

// What all parts of the engine use: transactions, rows, and the queue of an account.
extension Vault {
  // MARK: - Transactions

  /// Runs one transaction, which is undone as a whole if `body` throws.
  ///
  /// `body` may call the store directly: its errors become a `VaultFailure` here. If
  /// `journalsLater` is true, a caller waits for a new token, and the journal gets the records
  /// later.
  func change<Value>(
    journalsLater: Bool = false,
    _ body: () throws -> Value
  ) throws(VaultFailure) -> Value {
    if isCounterBehind { try raiseCounter() }
    do {
      let value = try store.transaction {
        // Before the commit, because the cached tokens of these accounts may be wrong afterwards.
        defer { tokenCache.takeBack(store.takeChangedAccounts()) }
        return try body()
      }
      wakeWatchers()
      if journalsLater { sendToJournalLater() } else { sendToJournal() }
      return value
    } catch let failure as VaultFailure {
      throw failure
    } catch let error as StorageError {
      throw failure(of: error)
    } catch {
      throw .unexpected("the store failed")
    }
  }

  /// Runs a step of the store outside a transaction, or of a file beside it.
  nonisolated func stored<Value: ~Copyable>(
    _ step: @autoclosure () throws(StorageError) -> Value
  ) throws(VaultFailure) -> Value {
    do { return try step() } catch { throw failure(of: error) }
  }

  nonisolated func failure(of error: StorageError) -> VaultFailure {
    if case .uncertain = error { storeIsLost.store(true, ordering: .releasing) }
    return VaultFailure(error)
  }

  /// Random bytes that are not a secret.
  nonisolated func random(_ count: Int) throws(VaultFailure) -> [UInt8] {
    try mappingErrors(to: .unexpected("no random bytes")) { try randomBytes(count) }
  }

  // MARK: - Accounts

  /// The account of a name; without a name, the default or the only account with a login.
  func account(named name: String?) throws(VaultFailure) -> AccountRow {
    guard let name else {
      if let chosen = try impliedAccount() { return chosen }
      if try firstAccounts(1).isEmpty { throw .noSuchAccount("") }
      if try firstAccounts(1, withLogin: true).isEmpty {
        throw .invalidArgument("every account keeps a static secret: name one")
      }
      throw .invalidArgument("there are several accounts: name one")
    }
    guard let row = try accountIfAny(named: name) else { throw .noSuchAccount(name) }
    return row
  }

  /// The account of a name; `nil` if there is none.
  func accountIfAny(named name: String) throws(VaultFailure) -> AccountRow? {
    let name = try accountName(name)
    return try stored(try store.account(named: name.text, owner: owner))
  }

  /// A checked name.
  func accountName(_ name: String) throws(VaultFailure) -> AccountName {
    try mappingErrors(to: .invalidArgument) { try AccountName(name) }
  }

  func account(withIdentifier identifier: [UInt8]) throws(VaultFailure) -> AccountRow {
    guard let row = try accountIfAny(withIdentifier: identifier) else {
      throw .noSuchAccount("(removed)")
    }
    return row
  }

  func accountIfAny(withIdentifier identifier: [UInt8]) throws(VaultFailure) -> AccountRow? {
    try stored(try store.account(id: identifier))
  }

  func accounts() throws(VaultFailure) -> [AccountRow] {
    try stored(try store.accounts(owner: owner))
  }

  /// The first accounts by name; `withLogin` leaves out those of kind `static`.
  ///
  /// A call that names no account has to know whether there are none, one or several. So no row is
  /// read that the answer does not need.
  func firstAccounts(
    _ count: Int,
    withLogin: Bool = false
  ) throws(VaultFailure) -> [AccountRow] {
    let omitted = withLogin ? Provider.canonicalPart(of: .static) : nil
    return try stored(try store.accounts(owner: owner, atMost: count, without: omitted))
  }

  /// The SHA-256 digest.
  nonisolated func digest(_ bytes: [UInt8]) throws(VaultFailure) -> [UInt8] {
    try mappingErrors(to: .unexpected("no digest")) { try sha256(bytes) }
  }

  func intent(of account: AccountRow) throws(VaultFailure) -> IntentRow? {
    try stored(try store.intent(account: account.id))
  }

  // MARK: - What the front reads

  /// Writes the token file that the front reads.
  ///
  /// It is a cache: if it cannot be written, the front asks the engine. A file that has the token
  /// already stays, unless `isNew` says that the token has just come: the account's provider may be
  /// another one.
  func writeTokenFile(of account: AccountRow, _ row: AccessTokenRow, isNew: Bool = true) {
    // The file may be newer than a store that was restored from a copy.
    guard freshness == .current, !row.isSealed, let left = secondsLeft(of: row), left > 0,
      isNew || !hasTokenFile(of: account, row, left: left),
      let token = CachedToken(
        token: Array(row.token.utf8),
        wallExpiry: WallTime(seconds: clock.wall.seconds + left),
        boot: clock.bootIdentifier,
        bootExpiry: clock.boot.advanced(bySeconds: left),
        statedExpiry: row.expiresAt.map { WallTime(seconds: $0) },
        isForAnyHost: isForAnyHost(account)
      )
    else { return }
    try? TokenFiles.write(token, account: account.name, in: directory)
  }

  private func hasTokenFile(
    of account: AccountRow,
    _ row: AccessTokenRow,
    left: Int64
  ) -> Bool {
    guard let old = try? TokenFiles.read(account: account.name, in: directory) else { return false }
    let bootExpiry = clock.boot.advanced(bySeconds: left)
    return old.token.elementsEqual(row.token.utf8) && old.boot == clock.bootIdentifier
      && old.statedExpiry?.seconds == row.expiresAt
      && abs(old.wallExpiry.seconds - (clock.wall.seconds + left)) <= 1
      && abs(old.bootExpiry.seconds(since: bootExpiry)) <= 1
  }

  /// Whether the tokens of an account may go to each host for which the person names the account.
  private func isForAnyHost(_ account: AccountRow) -> Bool {
    (try? provider(of: account))?.isForAnyHost ?? false
  }

  /// Removes the token file of an account, before the commit of a change that makes it wrong.
  func removeTokenFile(of name: String) throws(VaultFailure) {
    _ = try stored(try TokenFiles.remove(account: name, in: directory))
  }
}

extension VaultFailure {
  /// Another call changed the account while this one waited.
  static let hasJustChanged = providerUnavailable("the account has just changed: try again")

  /// A failure of the store, which changed nothing.
  package init(_ error: StorageError) {
    self = .vaultUnsafe("\(error)", hint: VaultHint(error))
  }

  /// The same failure after a provider has answered: the next holder of the slot stores the answer.
  var withKeptAnswer: VaultFailure { after(.answerKept) }

  /// The same failure after a request that may have changed something at the provider.
  var afterRequest: VaultFailure { after(.unsaid) }

  private func after(_ effect: VaultHint.Effect) -> VaultFailure {
    guard case .vaultUnsafe(let why, let hint) = self else { return self }
    return .vaultUnsafe(why, hint: hint?.after(effect))
  }
}
