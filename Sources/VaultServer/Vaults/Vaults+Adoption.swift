internal import System
internal import TokenVault

// How every vault is brought under the machine key.
extension Vaults {
  /// Continues an incomplete addition in the background.
  ///
  /// A failure may pass, so it is tried again while the engine runs.
  package func resumeAddition() {
    guard let slots = slotChanges.slots, slots.isAdding || slots.seemsUnfinished,
      slotChanges.takeAddition()
    else { return }
    beside {
      do throws(VaultFailure) {
        try await self.slotChanges.alone { () async throws(VaultFailure) in
          let key = try await blocking { () throws(VaultFailure) in try slots.key() }
          guard key != nil, slots.isAdding else { return }
          _ = try await self.finishAddition(slots, .engine(self.onlyUser ?? ThisProcess.user))
        }
      } catch {
        Journal.note("the machine key is not added everywhere yet: \(error)")
      }
    }
  }

  /// Begins to open the machine key, if there is one.
  ///
  /// The first call then waits less for the helper: the service manager needs longer to start it
  /// than the TPM needs to answer.
  ///
  /// - Returns: whether there is one.
  package func openAhead() -> Bool {
    guard let slots = slotChanges.slots, slots.isClosed else { return false }
    beside {
      do throws(VaultFailure) {
        _ = try await blocking { () throws(VaultFailure) in try slots.key() }
      } catch {
        // The call that needs the key tries again, and gets the error.
        Journal.note("the machine key was not opened at the start: \(error.problem)")
      }
    }
    return true
  }

  /// Removes the TPM's counter whose definition an earlier engine did not finish, in the
  /// background.
  package func removeUnfinishedCounter() {
    guard let slots = slotChanges.slots, slots.hasUnfinishedCounter else { return }
    beside {
      do throws(VaultFailure) {
        try await blocking { () throws(VaultFailure) in try slots.removeUnfinishedCounter() }
      } catch {
        // The next engine tries again.
        Journal.note("a counter that no vault uses may be left in the TPM: \(error.problem)")
      }
    }
  }

  /// Rekeys each vault that opens with only its file; returns how many were rekeyed.
  ///
  /// Vaults that are made in the meantime are under the machine key from their start. A vault that
  /// fails stays in the list of the state. That does not admit an old copy of another vault.
  func finishAddition(
    _ slots: MachineKeySlots,
    _ caller: Caller
  ) async throws(VaultFailure) -> Int {
    let found = try users()
    try await blocking { () throws(VaultFailure) in try slots.list(found) }
    var count = 0
    var left: [(user: UInt32, why: VaultFailure)] = []
    for user in slots.usersLeft {
      do throws(VaultFailure) {
        do throws(VaultFailure) {
          if try await adopt(user, caller) { count += 1 }
        } catch .noSuchUser {
          // It was removed in the meantime.
        }
        try await blocking { () throws(VaultFailure) in try slots.noteAdopted(user) }
      } catch {
        left.append((user, error))
        Journal.note("the vault of user \(user) is not under the machine key yet: \(error)")
      }
    }
    if let first = left.first { throw .notAdopted(first.user, first.why, count: left.count) }
    return count
  }

  private func users() throws(VaultFailure) -> [UInt32] {
    if let onlyUser { return [onlyUser] }
    guard let care else { return [] }
    return try steady { () throws in try care.list() }
  }

  private func adopt(_ user: UInt32, _ caller: Caller) async throws(VaultFailure) -> Bool {
    guard let care else {
      return try await use(of: user, keeps: false) { vault throws(VaultFailure) in
        try await vault.adoptMachineKey(caller: caller)
      }
    }
    let wasOpen = openVault(of: user) != nil
    let opened = try await borrow(forRoot: user, care)
    let result: Result<Bool, VaultFailure>
    do throws(VaultFailure) {
      result = .success(try await opened.vault.adoptMachineKey(caller: caller))
    } catch {
      result = .failure(error)
    }
    giveBack(user, opened, false, false)
    // A machine may have more vaults than descriptors.
    if !wasOpen { await close(opened.vault, of: user, unusedFor: 0) }
    return try result.get()
  }
}

extension VaultFailure {
  /// A vault that is not under the machine key yet.
  static func notAdopted(
    _ user: UInt32,
    _ why: VaultFailure,
    count: Int
  ) -> VaultFailure {
    let vaults = count == 1 ? "the vault of user \(user)" : "the vaults of \(count) users"
    let problem = "\(vaults) cannot be brought under the machine key"
    let again = "then run the same thumblatch device-secret add again"
    switch why {
    case .vaultUnsafe(let message, _):
      return .vaultUnsafe(
        "\(problem): \(message)",
        hint: "repair or remove the vault of user \(user), \(again)"
      )
    case .busy(let message), .providerUnavailable(let message, _, _), .offline(let message, _, _),
      .unavailable(_, let message, _, _), .misconfigured(let message):
      return .providerUnavailable("\(problem) now: \(message); \(again)")
    case .refused(let message): return .refused("\(problem): \(message)")
    case .invalidArgument(let message): return .invalidArgument("\(problem): \(message)")
    case .unexpected(let message): return .unexpected("\(problem): \(message)")
    default: return .unexpected("\(problem): \(why)")
    }
  }
}
