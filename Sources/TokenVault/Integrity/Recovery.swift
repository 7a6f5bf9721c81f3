internal import AuditLog
internal import Cryptography
internal import Presence
internal import PresenceTerms
internal import Storage

// The acceptance of a vault that was restored from a copy.
extension Vault {
  /// Accepts a vault that was restored from a copy, or whose rollback counter is lost.
  ///
  /// It needs the system password.
  ///
  /// It works even if nothing looks wrong: a restored directory includes its rollback counter, and
  /// only the person knows of the restore.
  ///
  /// Every account that is signed in needs a sign-in afterwards. The provider may have replaced its
  /// refresh token since the backup, and would treat the old one as stolen. The contents of slots
  /// and token files are from another time, and are removed.
  ///
  /// - Returns: the accounts that need a sign-in.
  /// - Throws: `presenceNeeded`.
  package func acceptStore(prompt: String?, caller: Caller) async throws(VaultFailure) -> [String] {
    let question = caller.question(.recover)
    try await spendPassword(for: question, by: prompt, caller)
    // An account that was removed after the backup has no slot any more.
    for row in try allAccounts() {
      try stored(try SlotFile.create(in: directory, account: row.id))
    }
    try await acceptInLedger()
    let names = try await withAllAccounts { _, slot throws(VaultFailure) in
      try self.empty(slot)
    } _: { () throws(VaultFailure) in
      try self.acceptStore(caller)
    }
    if let slots = machineKeySlots {
      try await blocking { () throws(VaultFailure) in try slots.endMissingCounter() }
    }
    return names
  }

  /// Accepts the vault in the ledger of the TPM's counter, with the count that its store gets next.
  private func acceptInLedger() async throws(VaultFailure) {
    guard let slots = machineKeySlots, slots.hasCounter else { return }
    let (vault, count) = (identifier, try acceptedCount())
    try await blocking { () throws(VaultFailure) in try slots.accept(vault, count: count) }
  }

  private func acceptStore(_ caller: Caller) throws(VaultFailure) -> [String] {
    let accounts = try allAccounts()
    // Remove the token files before the first transaction: the front must not hand out a token of
    // another time.
    for name in try tokenFiles() { try removeTokenFile(of: name) }
    let count = try acceptedCount()
    let names = try change { try accept(accounts, count, caller) }
    for account in accounts { forgetTokens(of: account.id) }
    try stored(try store.leaveLogOnClose(false))
    try stored(try store.checkpoint())
    try writeCounter(count)
    storeState.noteAccepted()
    discardProofs()
    if storeState.isRekeyUnfinished { try finishRekey() }
    try adoptAccepted(caller)
    Self.removeLeavings(of: store, in: directory)
    writeDefaultAccount()
    return names.sorted()
  }

  /// Brings an accepted store under the machine key.
  ///
  /// Until this is done, the next start finds an old copy again, and this run does not use it.
  private func adoptAccepted(_ caller: Caller) throws(VaultFailure) {
    guard needsMachineKey else { return }
    do throws(VaultFailure) {
      _ = try rekey(.underMachineKey, caller)
    } catch {
      if needsMachineKey, machineKeySlots?.refusesFile(of: owner, next: nil) == true {
        storeState.noteNotUnderMachineKey()
      }
      throw error
    }
  }

  /// The transaction that accepts the store; returns the accounts that need a sign-in.
  private func accept(
    _ accounts: [AccountRow],
    _ count: UInt64,
    _ caller: Caller
  ) throws -> [String] {
    var names: [String] = []
    for var row in accounts {
      try store.deleteIntent(account: row.id)
      try forgetSteadiness(of: row.id)
      // A static secret may have no other copy, and no provider replaces it.
      guard row.state == .signedIn, !keepsSecret(row) else { continue }
      row.state = .loginRequired
      row.cause = "the vault was restored from a copy"
      try store.update(row)
      try store.deleteAccessTokens(account: row.id)
      names.append(row.name)
    }
    // The set may again hold a finger that was deleted since: the password confirms the set again.
    try store.deleteEnrolledSet(owner: owner)
    try dropUnreadableRules()
    try setBoxChanges(count)
    try audited(try auditLog.acceptBoxChanges(using: storeState.keys.audit))
    try store.setMeta(Opening.vaultKey, to: identifier)
    try store.setMeta(Opening.secretKey, to: storeState.keys.secret.identifier)
    let detail = "\(freshness.auditName); \(names.count) accounts need a login"
    try recordByPassword(.recovery, by: caller, detail: detail)
    return names
  }

  /// A count that no copy of this vault has reached, so that a copy restored later has a lower one.
  private func acceptedCount() throws(VaultFailure) -> UInt64 {
    let counted = machineKeySlots?.counted(identifier) ?? 0
    let highest = max(try boxChanges(), storeState.counter, counted)
    // If no newer counter shows the vault's last count, add more than normal use ever adds.
    let leap: UInt64 = freshness == .olderThanCounter ? 1 : 1 << 20
    let (count, overflow) = highest.addingReportingOverflow(leap)
    guard !overflow else { throw .vaultUnsafe("the rollback counter is used up", hint: nil) }
    return count
  }

  private func allAccounts() throws(VaultFailure) -> [AccountRow] {
    try stored(try store.allAccounts())
  }

  private func tokenFiles() throws(VaultFailure) -> [String] {
    try stored(try TokenFiles.accounts(in: directory))
  }
}

extension StoreFreshness {
  /// The name under which the audit log records the accepted state.
  fileprivate var auditName: String {
    switch self {
    case .current: "nothing was seen"
    case .olderThanCounter: "older than the rollback counter"
    case .newerThanCounter: "newer than the rollback counter"
    case .counterMissing: "the rollback counter was missing"
    case .counterDamaged: "the rollback counter was damaged"
    case .storeMissing: "the store was lost"
    case .boxesChanged: "a part was restored"
    case .beforeMachineKey: "older than the machine key"
    case .directoryOlder: "the directory was older than the TPM's counter"
    case .olderThanLedger: "older than the TPM's ledger"
    case .notAccepted: "not accepted after an old directory"
    case .ledgerMissing: "the TPM's ledger was missing or damaged"
    case .counterReplaced: "the TPM's counter was replaced"
    }
  }
}
