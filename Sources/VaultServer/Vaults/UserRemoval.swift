internal import Storage
internal import Synchronization
internal import System
internal import TokenVault
internal import Varlink

/// Root's actions on the vaults of other users: when a person has left, or cannot pass any check.
///
/// `Vaults` serves its callers by the uid from the kernel and a matching user name. Here neither
/// counts: root decides, and each action is recorded.
package struct UserAccounts: Sendable {
  /// The uids whose vaults were made for a user name, or the uid that the text itself names.
  let find: @Sendable (_ user: String) throws -> FoundUsers
  /// The uids of all vaults.
  let list: @Sendable () throws -> [UInt32]
  /// Opens the vault of a uid as it is, with the user name that it was made for; `nil` if there is
  /// none.
  let open: @Sendable (_ user: UInt32) throws -> (vault: Vault, name: String)?
  /// Removes the vault of a uid with all its files.
  let remove: @Sendable (_ user: UInt32) throws -> Void
}

/// The users that a text names.
struct FoundUsers: Sendable, Equatable {
  let uids: [UInt32]
  /// The uids whose directory cannot be read: its vault may have been made for the same user name.
  let unread: [UInt32]
}

struct RemovedUser: Sendable {
  let user: UInt32
  /// The user name that the vault was made for, if the vault has it.
  let name: String?
  /// The accounts that were removed with it; `nil` if they could not be read.
  let accounts: [AccountFacts]?
  /// Which prints of the vault a reader may still have, and why; `nil` if there are none.
  let onReader: String?
  /// The uids whose vaults may have been made for the same user name.
  var unread: [UInt32] = []
}

extension Vaults {
  /// How long running calls may take before their vault is removed anyway, in seconds.
  ///
  /// It is longer than the life of an exchange helper.
  private static let timeout = ServiceEngine.stopSeconds

  /// Removes a user's vault, or one account of it.
  ///
  /// Only root may do this.
  ///
  /// - Parameters:
  ///   - user: a user name that a vault was made for, or a uid.
  ///   - account: the account; `nil` for the whole vault.
  ///   - caller: the caller.
  /// - Throws: `refused` for every caller except root, `noSuchUser`, `noSuchAccount`.
  /// - Returns: what was removed. The providers are not notified, because using a token needs the
  ///   user's presence.
  func remove(
    user: String,
    account: String?,
    caller: Caller
  ) async throws(VaultFailure) -> RemovedUser {
    guard let care else { throw .refused("this vault is one user's own: remove its directory") }
    guard caller.user == 0 else { throw .refused("only root may remove a user's vault") }
    guard user.utf8.count <= UserDirectories.longestName else { throw .noSuchUser("that name") }
    let found = try steady { () throws in try care.find(user) }
    guard let uid = found.uids.first else { throw .noSuchUser(user) }
    guard found.uids.count == 1 else {
      let uids = found.uids.map { "\($0)" }.joined(separator: ", ")
      throw .invalidArgument("several vaults were made for \(user): name the uid (\(uids))")
    }
    var removed: RemovedUser
    if let account {
      removed = try await remove(account, of: uid, care, caller)
    } else {
      removed = try await removeAll(of: uid, care, caller)
    }
    removed.unread = found.unread
    return removed
  }

  /// Runs a step on the disk, and maps its error to a vault failure.
  func steady<Value>(_ body: () throws -> Value) throws(VaultFailure) -> Value {
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
    _ care: UserAccounts,
    _ caller: Caller
  ) async throws(VaultFailure) -> RemovedUser {
    let opened = try await borrow(forRoot: user, care)
    defer { giveBack(user, opened, false, false) }
    let facts = try await opened.vault.removeForRoot(account: account, caller: caller)
    Journal.note(
      "account \(facts.name) of user \(user) at \(facts.provider) was removed by root"
        + " (\(caller.requester)); the provider was not notified"
    )
    return RemovedUser(user: user, name: opened.name, accounts: [facts], onReader: nil)
  }

  /// The vault of a user as it is.
  ///
  /// It is opened first if it is not open.
  func borrow(
    forRoot user: UInt32,
    _ care: UserAccounts
  ) async throws(VaultFailure) -> Opened {
    while true {
      let isRemoved = state.withLock { $0.removing.contains(user) }
      guard !isRemoved else { throw .isBeingRemoved(user) }
      let phase: Phase? = state.withLock { state in
        guard !state.removing.contains(user), state.entries[user] != nil else { return nil }
        state.entries[user]?.calls += 1
        state.entries[user]?.uses += 1
        return state.entries[user]?.phase
      }
      switch phase {
      case .open(let opened)?: return opened
      case .opening(let task)?:
        // If the opening fails for its user, the vault as it is may still open. The entry is gone
        // then, with this use.
        if case .success(let opened) = await task.value { return opened }
      case nil: try await enter(user, care)
      }
    }
  }

  /// Opens the vault of a user without a check of the user name.
  private func enter(_ user: UInt32, _ care: UserAccounts) async throws(VaultFailure) {
    guard let (vault, name) = try await opened(user, care) else { throw .noSuchUser("\(user)") }
    let isTaken = state.withLock { state in
      guard !state.removing.contains(user), state.entries[user] == nil else { return false }
      state.openings += 1
      let opened = Opened(vault: vault, name: name, number: state.openings)
      state.entries[user] = Entry(phase: .open(opened))
      return true
    }
    if !isTaken { await vault.retire() }
  }

  /// Opens a vault without a check of the user name; `nil` if the user has none.
  private func opened(
    _ user: UInt32,
    _ care: UserAccounts
  ) async throws(VaultFailure) -> (vault: Vault, name: String)? {
    let opened = await opening { try care.open(user) }
    return try steady { () throws in try opened.get() }
  }

  // MARK: - A whole vault

  private func removeAll(
    of user: UInt32,
    _ care: UserAccounts,
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

  /// Ends all work in a vault that is about to be removed, and deletes its prints on readers that
  /// store them.
  ///
  /// Returns the facts about it.
  private func emptied(_ user: UInt32, _ care: UserAccounts) async -> RemovedUser {
    guard let opened = await opened(user) else {
      // A vault that cannot be opened is removed anyway.
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
    let end = BootInstant.now.advanced(bySeconds: Self.timeout)
    while BootInstant.now < end, await isUsed(user, opened.vault) {
      try? await Task.sleep(nanoseconds: 20_000_000)
    }
    let onReader = await deletePrints(of: opened.vault)
    state.withLock { $0.entries[user] = nil }
    await opened.vault.retire()
    return RemovedUser(user: user, name: opened.name, accounts: accounts, onReader: onReader)
  }

  private static let unreadPrints = "the stored prints could not be read"

  /// Once the store is gone, its prints can no longer be named to a reader.
  ///
  /// Some readers then refuse to enroll a finger that they still know.
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
      let phase = state.withLock { $0.entries[user]?.phase }
      switch phase {
      case nil: return nil
      case .open(let opened)?: return opened
      case .opening(let task)?:
        if case .failure = await task.value { return nil }
      }
    }
  }
}

extension RemovedUser {
  /// The line for the administrator's journal.
  fileprivate func line(by caller: Caller) -> String {
    let whose = name.map { " (\($0))" } ?? ""
    let what =
      accounts.map { accounts in
        accounts.isEmpty
          ? "without accounts"
          : "accounts " + accounts.map { "\($0.name) at \($0.provider)" }.joined(separator: ", ")
      } ?? "unreadable"
    return "the vault of user \(user)\(whose), \(what), was removed by root (\(caller.requester));"
      + " no provider was notified"
      + (onReader.map { "; a reader may still have prints (\($0))" } ?? "")
  }
}

extension VaultFailure {
  static func isBeingRemoved(_ user: UInt32) -> VaultFailure {
    .busy("the vault of user \(user) is being removed")
  }
}
