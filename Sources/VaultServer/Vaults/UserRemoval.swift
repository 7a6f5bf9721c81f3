internal import Storage
internal import Synchronization
internal import System
internal import TokenVault
internal import VaultInterface

/// What root does to the vaults of other users: a person has left, or cannot pass any check.
///
/// The callers of `Vaults` are served by the uid that the kernel told, and by a login name that fits.
/// Here neither counts: root decides, and each use is recorded.
public struct UserCare: Sendable {
  /// The uids whose vaults were made for a login name, or that stand for themselves.
  let find: @Sendable (_ user: String) throws -> [UInt32]
  /// Opens the vault of a uid as it is, and the login name that it was made for; nil: there is none.
  let open: @Sendable (_ user: UInt32) throws -> (vault: Vault, name: String)?
  /// Removes the vault of a uid with all that is in it.
  let remove: @Sendable (_ user: UInt32) throws -> Void
}

/// What was removed.
struct RemovedUser: Sendable {
  let user: UInt32
  /// The login name that the vault was made for, where it says so.
  let name: String?
  /// The accounts that are gone with it; `nil` if they could not be read.
  let accounts: [AccountFacts]?
  /// Which prints of the vault a reader may still have, and why; `nil` if there are none.
  let onReader: String?
}

extension Vaults {
  /// How long calls that are under way may take before their vault is removed all the same, in
  /// seconds: longer than a courier lives.
  private static let patience = ServiceEngine.stopSeconds

  /// Removes a user's vault, or one account of it, for root alone.
  ///
  /// - Parameters:
  ///   - user: a login name that a vault was made for, or a uid.
  ///   - account: the account; nil: the whole vault.
  ///   - caller: who asks.
  /// - Throws: `refused` for everybody but root, `noSuchUser`, `noSuchAccount`.
  /// - Returns: what is gone. The providers are not told: to use a token takes the user's presence.
  func remove(
    user: String,
    account: String?,
    caller: Caller
  ) async throws(VaultFailure) -> RemovedUser {
    guard let care else {
      throw .refused("this vault is one user's own: remove its directory")
    }
    guard caller.user == 0 else { throw .refused("only root may remove a user's vault") }
    guard user.utf8.count <= UserDirectories.longestName else { throw .noSuchUser("that name") }
    let uid = try found(user, care)
    if let account { return try await remove(account, of: uid, care, caller) }
    return try await removeAll(of: uid, care, caller)
  }

  private func found(_ user: String, _ care: UserCare) throws(VaultFailure) -> UInt32 {
    let found = try steady { () throws in try care.find(user) }
    guard let uid = found.first else { throw .noSuchUser(user) }
    guard found.count == 1 else {
      let uids = found.map { "\($0)" }.joined(separator: ", ")
      throw .invalidArgument("several vaults were made for \(user): name the uid (\(uids))")
    }
    return uid
  }

  /// A step on the disk, with its error in the vault's words.
  private func steady<Value>(_ body: () throws -> Value) throws(VaultFailure) -> Value {
    do {
      return try body()
    } catch let failure as VaultFailure {
      throw failure
    } catch let error as StorageError {
      throw VaultFailure(error)
    } catch {
      throw .unexpected("\(error)")
    }
  }

  // MARK: - One account

  private func remove(
    _ account: String,
    of user: UInt32,
    _ care: UserCare,
    _ caller: Caller
  ) async throws(VaultFailure) -> RemovedUser {
    let opened = try await borrow(forRoot: user, care)
    defer { giveBack(user, opened, false, false) }
    let facts = try await opened.vault.removeForRoot(account: account, caller: caller)
    Journal.note(
      "account \(facts.name) of user \(user) at \(facts.provider) was removed by root"
        + " (\(caller.requester)); the provider was not told"
    )
    return RemovedUser(user: user, name: opened.name, accounts: [facts], onReader: nil)
  }

  /// The vault of a user as it is, opened first where it is not.
  private func borrow(
    forRoot user: UInt32,
    _ care: UserCare
  ) async throws(VaultFailure) -> Opened {
    while true {
      let isRemoved = state.withLock { $0.removing.contains(user) }
      guard !isRemoved else { throw .isBeingRemoved(user) }
      let place: Place? = state.withLock { state in
        guard !state.removing.contains(user), state.entries[user] != nil else { return nil }
        state.entries[user]?.calls += 1
        state.entries[user]?.uses += 1
        return state.entries[user]?.place
      }
      switch place {
      case .open(let opened)?: return opened
      case .opening(let task)?:
        // One that fails for its user says nothing of it as it is. Its entry is gone then, with this use.
        if case .success(let opened) = await task.value { return opened }
      case nil: try await enter(user, care)
      }
    }
  }

  /// Opens the vault of a user whose login name does not count.
  private func enter(_ user: UInt32, _ care: UserCare) async throws(VaultFailure) {
    guard let (vault, name) = try await opened(user, care) else { throw .noSuchUser("\(user)") }
    let isTaken = state.withLock { state in
      guard !state.removing.contains(user), state.entries[user] == nil else { return false }
      state.openings += 1
      let opened = Opened(vault: vault, name: name, number: state.openings)
      state.entries[user] = Entry(place: .open(opened))
      return true
    }
    if !isTaken { await vault.retire() }
  }

  /// Opens a vault on a thread of its own; waits for one of ours that was closed and still ends.
  private func opened(
    _ user: UInt32,
    _ care: UserCare
  ) async throws(VaultFailure) -> (vault: Vault, name: String)? {
    var tries = 0
    while true {
      let made = await onThread { () throws in try care.open(user) }
      if case .failure(StorageError.inUse) = made, tries < 200 {
        tries += 1
        try? await Task.sleep(nanoseconds: 50_000_000)
        continue
      }
      return try steady { () throws in try made.get() }
    }
  }

  // MARK: - A whole vault

  private func removeAll(
    of user: UInt32,
    _ care: UserCare,
    _ caller: Caller
  ) async throws(VaultFailure) -> RemovedUser {
    let isFirst = state.withLock { $0.removing.insert(user).inserted }
    guard isFirst else { throw .isBeingRemoved(user) }
    defer { state.withLock { _ = $0.removing.remove(user) } }
    let removed = await emptied(user, care)
    try steady { () throws in try care.remove(user) }
    Journal.note(removed.line(by: caller))
    return removed
  }

  /// Ends all that goes on in a vault which is about to be removed, and deletes its prints on the
  /// readers that store them; what there is to tell of it.
  private func emptied(_ user: UInt32, _ care: UserCare) async -> RemovedUser {
    guard let opened = await opened(user) else {
      // One that cannot be opened is removed all the same.
      let found: (vault: Vault, name: String)?
      do throws(VaultFailure) { found = try await self.opened(user, care) } catch { found = nil }
      guard let (vault, name) = found else {
        return RemovedUser(user: user, name: nil, accounts: nil, onReader: Self.unreadPrints)
      }
      let accounts = try? await vault.accountFacts(named: nil)
      let onReader = await deletePrints(of: vault)
      await vault.retire()
      return RemovedUser(user: user, name: name, accounts: accounts, onReader: onReader)
    }
    state.withLock { _ = $0.lost.insert(opened.number) }
    noteLost()
    let accounts = try? await opened.vault.accountFacts(named: nil)
    await opened.vault.endWindows(because: "root removed the vault")
    await opened.vault.endChecks()
    let end = BootInstant.now.advanced(bySeconds: Self.patience)
    while BootInstant.now < end, await isUsed(user, opened.vault) {
      try? await Task.sleep(nanoseconds: 20_000_000)
    }
    let onReader = await deletePrints(of: opened.vault)
    state.withLock { $0.entries[user] = nil }
    await opened.vault.retire()
    return RemovedUser(user: user, name: opened.name, accounts: accounts, onReader: onReader)
  }

  private static let unreadPrints = "the stored prints could not be read"

  /// Once the store is gone nothing can name its prints to a reader, and some readers never enroll a
  /// finger again that they know.
  private func deletePrints(of vault: Vault) async -> String? {
    do throws(VaultFailure) {
      return try await vault.deletePrintsOnReaders()
    } catch {
      return Self.unreadPrints
    }
  }

  private func isUsed(_ user: UInt32, _ vault: Vault) async -> Bool {
    if state.withLock({ ($0.entries[user]?.calls ?? 0) > 0 }) { return true }
    return await vault.isAtWork
  }

  private func opened(_ user: UInt32) async -> Opened? {
    while true {
      let place = state.withLock { $0.entries[user]?.place }
      switch place {
      case nil: return nil
      case .open(let opened)?: return opened
      case .opening(let task)?:
        if case .failure = await task.value { return nil }
      }
    }
  }
}

extension RemovedUser {
  /// What an administrator finds in the journal.
  fileprivate func line(by caller: Caller) -> String {
    let whose = name.map { " (\($0))" } ?? ""
    let what =
      accounts.map { accounts in
        accounts.isEmpty
          ? "without accounts"
          : "accounts " + accounts.map { "\($0.name) at \($0.provider)" }.joined(separator: ", ")
      } ?? "unreadable"
    return "the vault of user \(user)\(whose), \(what), was removed by root (\(caller.requester));"
      + " no provider was told"
      + (onReader.map { "; a reader may still have prints (\($0))" } ?? "")
  }
}

extension VaultFailure {
  static func isBeingRemoved(_ user: UInt32) -> VaultFailure {
    .busy("the vault of user \(user) is being removed")
  }
}
