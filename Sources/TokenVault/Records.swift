internal import Configuration
internal import Cryptography
internal import Storage
internal import Synchronization
internal import System

// What every room of the engine uses: rows, transactions, the trail, and the queue of an account.
extension Vault {
  // MARK: - Transactions

  /// One transaction; it is undone as a whole where `body` throws.
  func change<Value>(_ body: () throws(VaultFailure) -> Value) throws(VaultFailure) -> Value {
    do {
      return try store.transaction(body)
    } catch let failure as VaultFailure {
      throw failure
    } catch let error as StorageError {
      throw failure(of: error)
    } catch {
      throw .unexpected("the store failed")
    }
  }

  /// A step of the store, with its error in the vault's words.
  nonisolated func stored<Value: ~Copyable>(
    _ body: () throws(StorageError) -> Value
  ) throws(VaultFailure) -> Value {
    do throws(StorageError) {
      return try body()
    } catch {
      throw failure(of: error)
    }
  }

  private nonisolated func failure(of error: StorageError) -> VaultFailure {
    if case .uncertain = error { storeIsLost.store(true, ordering: .releasing) }
    return VaultFailure(error)
  }

  /// Random bytes that are no secret.
  nonisolated func random(_ count: Int) throws(VaultFailure) -> [UInt8] {
    do throws(CryptographyError) {
      return try randomBytes(count)
    } catch {
      throw .unexpected("no random bytes: \(error)")
    }
  }

  /// Raises the count of changes to sealed boxes, inside the transaction that makes one.
  func countBoxChange() throws(VaultFailure) {
    let (next, overflow) = try boxChanges().addingReportingOverflow(1)
    guard !overflow else { throw .vaultUnsafe("the rollback count is used up", hint: nil) }
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: next >> (8 * UInt64($0))) }
    try stored { () throws(StorageError) in
      try self.store.setMeta(Self.changesKey, to: bytes)
    }
  }

  /// Carries the count over to the mark outside the database, after the commit.
  func raiseMark() throws(VaultFailure) {
    let count = try boxChanges()
    try stored { () throws(StorageError) in
      try MarkFile.raise(to: count, in: self.directory)
    }
  }

  private static var changesKey: String { "box-changes" }

  func boxChanges() throws(VaultFailure) -> UInt64 {
    let bytes = try stored { () throws(StorageError) in try self.store.meta(Self.changesKey) }
    return (bytes ?? []).prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  // MARK: - Accounts

  /// The account of a name; without one, the only account or the default.
  func account(named name: String?) throws(VaultFailure) -> AccountRow {
    guard let name else {
      if let chosen = try impliedAccount() { return chosen }
      if try accounts().isEmpty { throw .noSuchAccount("") }
      throw .invalidArgument("there are several accounts: name one")
    }
    let checked: AccountName
    do throws(ConfigurationError) {
      checked = try AccountName(name)
    } catch {
      throw .invalidArgument("\(error)")
    }
    guard
      let row = try stored({ () throws(StorageError) in
        try self.store.account(named: checked.text, owner: self.owner)
      })
    else { throw .noSuchAccount(checked.text) }
    return row
  }

  func account(withIdentifier identifier: [UInt8]) throws(VaultFailure) -> AccountRow {
    guard
      let row = try stored({ () throws(StorageError) in
        try self.store.account(id: identifier)
      })
    else { throw .noSuchAccount("(removed meanwhile)") }
    return row
  }

  func accounts() throws(VaultFailure) -> [AccountRow] {
    try stored { () throws(StorageError) in try self.store.accounts(owner: self.owner) }
  }

  /// SHA-256.
  nonisolated func digest(_ bytes: [UInt8]) throws(VaultFailure) -> [UInt8] {
    do throws(CryptographyError) {
      return try sha256(bytes)
    } catch {
      throw .unexpected("no digest: \(error)")
    }
  }

  func intent(of account: AccountRow) throws(VaultFailure) -> IntentRow? {
    try stored { () throws(StorageError) in try self.store.intent(account: account.id) }
  }

  /// The provider as it was at login; no file is consulted.
  ///
  /// The box is bound to the digest in the row, so the settings beside it must have that digest:
  /// else settings that were edited in the store would take the token somewhere else.
  func provider(of account: AccountRow) throws(VaultFailure) -> Provider {
    guard try digest(account.providerSettings) == account.binding else {
      throw .vaultUnsafe(
        "the provider in the record of \(account.name) is not the one of its login",
        hint: "nothing was changed; restore the vault from a backup, or sign in again"
      )
    }
    do throws(ConfigurationError) {
      return try Provider(
        name: try ProviderName(account.provider),
        canonicalForm: account.providerSettings
      )
    } catch {
      throw .vaultUnsafe(
        "the provider in the record of \(account.name) cannot be read: \(error)",
        hint: "nothing was changed; restore the vault from a backup, or sign in again"
      )
    }
  }

  // MARK: - One at a time

  /// Waits until nobody else works on the account.
  ///
  /// No transaction is open meanwhile.
  func enter(_ account: [UInt8]) async {
    guard queues[account] != nil else {
      queues[account] = []
      return
    }
    await withCheckedContinuation { queues[account, default: []].append($0) }
  }

  /// Lets the next one in.
  func leave(_ account: [UInt8]) {
    guard var waiting = queues[account], !waiting.isEmpty else {
      queues[account] = nil
      return
    }
    let next = waiting.removeFirst()
    queues[account] = waiting
    next.resume()
  }

  // MARK: - The trail

  /// Writes a record in the running transaction: if it cannot be written, nothing else is either.
  func record(_ entry: AuditEntry) throws(VaultFailure) {
    let entry = entry.bounded
    let tail = try stored { () throws(StorageError) in try self.store.auditTail() }
    let number = (tail?.number ?? 0) + 1
    let time = clock.wall.seconds
    let code: [UInt8]
    do throws(CryptographyError) {
      code = try authenticate(
        AuditChain.message(
          number: number,
          time: time,
          entry: entry,
          previous: tail?.mac ?? AuditChain.start
        ),
        using: auditKey
      )
    } catch {
      throw .unexpected("the trail cannot be continued: \(error)")
    }
    try stored { () throws(StorageError) in
      try self.store.append(
        AuditRow(
          number: number,
          time: time,
          owner: self.owner,
          event: entry.event.rawValue,
          outcome: entry.outcome.rawValue,
          accountID: entry.account?.identifier,
          account: entry.account?.name,
          method: entry.method,
          requester: entry.requester,
          detail: entry.detail,
          mac: code
        )
      )
    }
  }

  /// Counts a refusal of a request that changes nothing, so that a flood of them fills no disk.
  func noteRefusal(_ what: String, _ caller: Caller) {
    let key = "\(what), by \(caller.requester)"
    // One more caller than this is counted among the others.
    let known = refusals[key] != nil || refusals.count < 100
    refusals[known ? key : "\(what), by others", default: 0] += 1
  }

  /// Writes the counted refusals down; called each minute and at the end.
  public func flushRefusals() throws(VaultFailure) {
    guard !refusals.isEmpty else { return }
    let counted = refusals
    try change { () throws(VaultFailure) in
      for (what, count) in counted.sorted(by: { $0.key < $1.key }) {
        var entry = AuditEntry(event: .refusal, outcome: .refused)
        entry.detail = "\(count) × \(what)"
        try self.record(entry)
      }
    }
    refusals = [:]
  }

  // MARK: - What the front reads

  /// Puts a token where the front finds it.
  ///
  /// It is a cache: if it cannot be written, the front asks.
  func writeTokenFile(of account: AccountRow, _ row: AccessTokenRow) {
    guard let left = secondsLeft(of: row), left > 0,
      let token = CachedToken(
        token: Array(row.token.utf8),
        wallExpiry: WallTime(seconds: clock.wall.seconds + left),
        boot: clock.bootIdentifier,
        bootExpiry: clock.boot.advanced(bySeconds: left)
      )
    else { return }
    if let old = try? TokenFile.read(account: account.name, in: directory),
      old.token == token.token, old.boot == token.boot,
      abs(old.wallExpiry.seconds - token.wallExpiry.seconds) <= 1,
      abs(old.bootExpiry.seconds(since: token.bootExpiry)) <= 1
    {
      return
    }
    try? TokenFile.write(token, account: account.name, in: directory)
  }

  /// Removes it; what must not be used any more is gone before the change is committed.
  func removeTokenFile(of name: String) throws(VaultFailure) {
    _ = try stored { () throws(StorageError) in
      try TokenFile.remove(account: name, in: self.directory)
    }
  }
}

extension AuditEntry {
  init(
    _ event: AuditEvent,
    _ outcome: AuditOutcome,
    account: AccountRow?,
    caller: Caller,
    method: String? = nil,
    detail: String? = nil
  ) {
    self.event = event
    self.outcome = outcome
    self.account = account.map { ($0.id, $0.name) }
    self.method = method
    self.requester = caller.requester
    self.detail = detail
  }
}

extension Caller {
  /// The engine itself, when it finishes what another left behind.
  static func engine(_ owner: UInt32) -> Caller {
    Caller(connection: 0, user: owner, requester: "thumblatchd")
  }
}

extension VaultFailure {
  /// A failure of the store in the vault's words: nothing was changed by it.
  init(_ error: StorageError) {
    self = .vaultUnsafe("\(error)", hint: error.remedy)
  }
}

/// Bytes as lower-case hexadecimal text.
func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef")
  return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}
