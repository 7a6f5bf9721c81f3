internal import Storage

/// All reads of a store.
enum StoreReads {
  static let owner: UInt32 = 1000
  static let account = [UInt8](repeating: 2, count: 16)

  /// Reads all rows in all ways.
  ///
  /// A value that is not valid for its row must count as damage.
  static func all(of store: Store) {
    for read in accounts + people + audit {
      do {
        try read(store)
      } catch let error as StorageError {
        demand(isDamage(error), "a damaged row is \(error)")
      } catch {
        demand(false, "a damaged row is \(error)")
      }
    }
  }

  /// Whether an error says that the store is damaged, or belongs to another program.
  static func isDamage(_ error: StorageError) -> Bool {
    switch error {
    case .damaged, .newerSchema, .unreleasedFormat: true
    default: false
    }
  }

  private typealias Read = @Sendable (Store) throws -> Void

  private static let accounts: [Read] = [
    { _ = try $0.accounts(owner: owner) },
    { _ = try $0.allAccounts() },
    { _ = try $0.account(named: "me", owner: owner) },
    { _ = try $0.account(id: account) },
    { _ = try $0.hasSealedBoxes() },
    { _ = try $0.accessToken(account: account) },
    { _ = try $0.accessTokens(account: account) },
    { _ = try $0.intent(account: account) },
    { _ = try $0.intents() },
  ]

  private static let people: [Read] = [
    { _ = try $0.prints(owner: owner) },
    { _ = try $0.allPrints() },
    { _ = try $0.meta("vault") },
    { _ = try $0.lockout(owner: owner) },
    { _ = try $0.passwordWait(owner: owner) },
    { _ = try $0.enrolledSet(owner: owner) },
    { _ = try $0.size() },
    { _ = try $0.integrityProblems() },
  ]

  private static let audit: [Read] = [
    { _ = try $0.auditTail() },
    { _ = try $0.auditHead() },
    { _ = try $0.auditCount() },
    { _ = try $0.audit(owner: owner) },
    { _ = try $0.audit(since: 1, accountID: account) },
    { _ = try $0.auditCodes(from: 1, limit: 100) },
    { _ = try $0.auditNumber(after: 0) },
    { _ = try $0.auditNumber(through: .max) },
    { _ = try $0.auditNumber(since: 1) },
    { _ = try $0.auditTime(of: 1) },
    { _ = try $0.freeAuditNumber(after: 0) },
    { _ = try $0.hasAuditCode([UInt8](repeating: 5, count: 32), besides: 1) },
    { _ = try $0.auditNumber(beyondBytes: 1, keeping: 100) },
  ]
}
