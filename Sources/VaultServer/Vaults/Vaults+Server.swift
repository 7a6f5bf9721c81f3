internal import Synchronization
internal import System
internal import TokenVault

// The calls of the server to the vaults.
extension Vaults {
  /// The openings of vaults whose end must also end the connections that they served.
  func takeLost() -> Set<UInt64> {
    guard hasLost.exchange(false, ordering: .acquiringAndReleasing) else { return [] }
    return state.withLock { state in
      defer { state.lost = [] }
      return state.lost
    }
  }

  /// Makes the server look at `lost`.
  func noteLost() { hasLost.store(true, ordering: .releasing) }

  /// The vault of a user if it is open and this connection is known to be that user's.
  ///
  /// It is for immediate answers, and counts as a use of the vault.
  func vaultAtHand(of user: UInt32, by recognition: Recognition) -> Vault? {
    let opened: Opened? = state.withLock { state in
      guard !state.removing.contains(user),
        case .open(let opened)? = state.entries[user]?.phase
      else { return nil }
      state.entries[user]?.uses += 1
      state.entries[user]?.lastUse = .now
      return opened
    }
    guard let opened, isRecognized(recognition, of: user, in: opened) else { return nil }
    return opened.vault
  }

  /// Informs the vault of a user that a connection has ended.
  func disconnect(_ connection: UInt64, of user: UInt32) {
    agents?.remove(connection)
    slotChanges.forget(connection)
    guard let vault = openVault(of: user) else { return }
    beside { await vault.disconnect(connection) }
  }

  /// Counts a caller that gets no answer.
  func noteRefusal(_ what: String, of user: UInt32?, by requester: String) {
    if let vault = openVault(of: onlyUser ?? user) {
      beside { await vault.noteRefusal(what, by: requester) }
      return
    }
    state.withLock { state in
      let line = "\(requester): \(what)"
      guard state.strangers[line] != nil || state.strangers.count < Self.mostStrangers else {
        return
      }
      state.strangers[line, default: 0] += 1
    }
  }

  /// Takes the refused callers of users without an open vault, counted since the last call.
  func takeStrangers() -> [String] {
    state.withLock { state in
      defer { state.strangers = [:] }
      return state.strangers.map { reason, count in
        "\(reason) (\(count == 1 ? "once" : "\(count) times"))"
      }.sorted()
    }
  }

  /// Does the work of each minute in the background.
  ///
  /// Callers and the end of this engine do not wait for it.
  ///
  /// - Parameter refreshing: whether tokens are refreshed ahead.
  func tend(refreshing: Bool) {
    if refreshing { resumeAddition() }
    slotChanges.slots?.advanceIfDue()
    for (user, _) in openVaults {
      beside {
        try? await self.use(of: user, keeps: false) { vault in
          try? await vault.maintainAuditLog()
          await vault.expireUpload()
          guard refreshing else { return }
          await vault.endGuard()
          await vault.refreshAhead()
        }
      }
    }
  }

  func openVault(of user: UInt32?) -> Vault? {
    guard let user else { return nil }
    return state.withLock { state in
      guard case .open(let opened)? = state.entries[user]?.phase else { return nil }
      return opened.vault
    }
  }

  var openVaults: [(UInt32, Vault)] {
    state.withLock { state in
      state.entries.compactMap { user, entry in
        guard case .open(let opened) = entry.phase else { return nil }
        return (user, opened.vault)
      }
    }
  }
}
