internal import Cryptography
internal import Presence
internal import Storage

extension Vault {
  /// Accepts a store that was put back, or whose mark is lost; after the system password.
  ///
  /// Also where nothing is seen to be wrong: a whole directory that was put back brought its mark
  /// along, and only the person knows.
  ///
  /// Every account that is signed in needs a login afterwards: the provider may have replaced its
  /// refresh token since, and would take the old one for stolen. What lies in slots and in token
  /// files is of another time, and goes.
  ///
  /// - Returns: the accounts that need a login.
  /// - Throws: `presenceNeeded`.
  public func acceptStore(prompt: String?, caller: Caller) async throws(VaultFailure) -> [String] {
    let question = PromptQuestion(user: caller.user, purpose: .recover, account: nil)
    guard let prompt else { throw try await askForPresence(question, account: nil, caller: caller) }
    guard try spend(prompt, question, caller) == .password else {
      throw .presenceFailed(.denied("this needs the system password"), methods: [.password])
    }
    // An account that was removed since has no slot any more.
    for row in try allAccounts() {
      try stored { () throws(StorageError) in
        try SlotFile.create(in: self.directory, account: row.id)
      }
    }
    return try await withAllAccounts { _, slot throws(VaultFailure) in
      try self.empty(slot)
    } _: { () throws(VaultFailure) in
      try self.acceptStore(caller)
    }
  }

  private func acceptStore(_ caller: Caller) throws(VaultFailure) -> [String] {
    let accounts = try allAccounts()
    // No transaction is begun before the front can hand out nothing of another time.
    for name in try tokenFiles() { try removeTokenFile(of: name) }
    let count = try acceptedCount()
    let secret = deviceSecret.identifier
    let why = standing
    let names = try change { () throws(VaultFailure) in
      var names: [String] = []
      for var row in accounts {
        try self.stored { () throws(StorageError) in
          _ = try self.store.deleteIntent(account: row.id)
        }
        try self.forgetSteadiness(of: row.id)
        guard row.state == .signedIn else { continue }
        row.state = .loginRequired
        row.cause = "the store was put back"
        let changed = row
        try self.stored { () throws(StorageError) in
          try self.store.update(changed)
          try self.store.deleteAccessTokens(account: changed.id)
        }
        names.append(row.name)
      }
      // A finger that was deleted since may be among them again: the password confirms them anew.
      try self.stored { () throws(StorageError) in
        _ = try self.store.deleteEnrolledSet(owner: self.owner)
      }
      try self.dropUnreadableRules()
      try self.setBoxChanges(count)
      try self.trailed { () throws(TrailFailure) in
        try self.trail.acceptBoxChanges(using: self.trailKeys)
      }
      try self.stored { () throws(StorageError) in
        try self.store.setMeta("vault", to: self.identifier)
        try self.store.setMeta(Opening.secretKey, to: secret)
      }
      try self.record(
        AuditEntry(
          .recovery,
          .done,
          account: nil,
          caller: caller,
          method: PresenceMethod.password.rawValue,
          detail: "\(why.auditName); \(names.count) accounts need a login"
        )
      )
      return names
    }
    for account in accounts { forgetTokens(of: account.id) }
    try stored { () throws(StorageError) in
      try self.store.leaveLogOnClose(false)
      try self.store.checkpoint()
    }
    try writeMark(count)
    standing = .current
    withdrawPresence()
    if isRekeyUnfinished { try finishRekey() }
    Self.removeLeavings(of: store, in: directory)
    writeDefaultAccount()
    return names.sorted()
  }

  /// A count that no copy of this vault has reached: one that is put back later counts less.
  private func acceptedCount() throws(VaultFailure) -> UInt64 {
    let highest = max(try boxChanges(), markedCount)
    // Where no newer mark tells how far the vault had come, a leap that none makes by itself.
    let leap: UInt64 = standing == .olderThanMark ? 1 : 1 << 20
    let (count, overflow) = highest.addingReportingOverflow(leap)
    guard !overflow else { throw .vaultUnsafe("the rollback count is used up", hint: nil) }
    return count
  }

  private func allAccounts() throws(VaultFailure) -> [AccountRow] {
    try stored { () throws(StorageError) in try self.store.allAccounts() }
  }

  private func tokenFiles() throws(VaultFailure) -> [String] {
    try stored { () throws(StorageError) in try TokenFile.accounts(in: self.directory) }
  }
}

extension VaultStanding {
  /// What the trail says was accepted.
  fileprivate var auditName: String {
    switch self {
    case .current: "nothing was seen"
    case .olderThanMark: "older than the mark"
    case .newerThanMark: "newer than the mark"
    case .markMissing: "the mark was missing"
    case .markDamaged: "the mark was damaged"
    case .boxesChanged: "a part was put back"
    }
  }
}
