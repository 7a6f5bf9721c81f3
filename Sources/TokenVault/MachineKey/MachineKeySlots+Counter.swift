internal import MachineKey
internal import Storage
internal import System

// The TPM's counter in a run of the engine. The ledger is compared when the machine key opens. It
// is updated at the first change of a sealed box, then at most once an hour, and at the end.
extension MachineKeySlots {
  // MARK: - The comparison

  /// Compares the ledger with the counter.
  ///
  /// - Throws: why the counter cannot be read now.
  func checkedCounter(
    _ key: MachineKey,
    _ state: MachineKeyState?,
    in tpm: any TPMSealing
  ) throws(VaultFailure) -> CounterUse.Finding {
    // The ledger counts only if the state names it: its definition may have been interrupted.
    guard state?.hasCounter ?? true else { return .none }
    let counter = counter(key, in: try identifier(of: key, state), by: tpm)
    return CounterUse.Finding(try counter.check(isExpected: true))
  }

  func counter(
    _ key: MachineKey,
    in identifier: [UInt8],
    by opening: (any TPMSealing)? = nil
  ) -> MachineCounter {
    MachineCounter(directory, opening ?? tpm, key, identifier: identifier)
  }

  private func openedCounter() throws(VaultFailure) -> MachineCounter {
    let (key, identifier) = try openedKey()
    return counter(key, in: identifier)
  }

  /// Whether the TPM's counter refuses a vault whose store has counted so many changes.
  func judgement(of vault: [UInt8], count: UInt64) -> StoreFreshness {
    withCounter { counter in
      switch counter.finding {
      case .none, .unchecked: return .current
      case .distrusted(let reason): return StoreFreshness(reason)
      case .current(let ledger):
        if let known = counter.known(vault), count < known { return .olderThanLedger }
        return switch ledger.judgement(of: vault, count: count) {
        case .current: .current
        case .older: .olderThanLedger
        case .notAccepted: .notAccepted
        }
      }
    }
  }

  /// Adds a vault that is being made, if the ledger refuses vaults that it does not list.
  func list(made vault: [UInt8]) throws(VaultFailure) {
    guard case .current(let first) = withCounter({ $0.finding }), first.unlisted == .isRefused
    else { return }
    try inTurn { () throws(VaultFailure) in
      guard case .current = withCounter({ $0.finding }) else { return }
      let found = CounterUse.Finding(try openedCounter().list(vault))
      withCounter { $0.finding = found }
    }
  }

  // MARK: - The vaults' changes

  /// Notes the count of a vault after a change of a sealed box.
  ///
  /// It returns at once. If an increment is due, it runs on another thread.
  func note(_ count: UInt64, of vault: [UInt8]) {
    withCounter { $0.note(count, of: vault) }
    advanceIfDue()
  }

  /// Writes the counts of the vaults into the ledger on another thread, if that is due.
  package func advanceIfDue() {
    let now = now()
    guard withCounter({ $0.takeAdvance(at: now) }) else { return }
    do throws(SystemError) {
      try beside { self.advance() }
    } catch {
      withCounter { $0.fail(at: now) }
    }
  }

  /// Writes the remaining counts into the ledger, at the end of the engine.
  ///
  /// A failure loses nothing: the ledger stays the latest version.
  package func finishCounter() { advance() }

  private func advance() {
    do throws(VaultFailure) {
      try inTurn { () throws(VaultFailure) in
        let counter = withCounter { $0 }
        guard case .current = counter.finding, !counter.counts.isEmpty else {
          return withCounter { $0.stop() }
        }
        let found = CounterUse.Finding(try openedCounter().advance(counter.counts))
        let now = now()
        withCounter { $0.finish(found, counter.counts, at: now) }
      }
    } catch {
      let now = now()
      withCounter { $0.fail(at: now) }
    }
  }

  // MARK: - Acceptance

  /// The highest count of a vault in the ledger, or in the next one; `nil` if it has none.
  func counted(_ vault: [UInt8]) -> UInt64? { withCounter { $0.known(vault) } }

  /// Accepts a vault, before its store gets this count.
  ///
  /// If the engine is killed in between, the store stays refused.
  ///
  /// - Throws: why the TPM does not accept it now.
  func accept(_ vault: [UInt8], count: UInt64) throws(VaultFailure) {
    try inTurn { () throws(VaultFailure) in
      let finding = withCounter { $0.finding }
      if finding == .none || finding == .unchecked { return }
      // `endMissingCounter` ends the alarm, once the store is accepted.
      if try lacksCounter(finding) { return }
      let parent = try parentName(finding)
      let found = try openedCounter().accept(vault, count: count, parentName: parent)
      withCounter { $0.finding = CounterUse.Finding(found) }
      // A missing state is written again.
      try noteCounter(true)
    }
  }

  /// Ends the use of a counter that is only assumed because the state is lost, after the store was
  /// accepted.
  ///
  /// - Throws: why the state cannot be written.
  func endMissingCounter() throws(VaultFailure) {
    try inTurn { () throws(VaultFailure) in
      guard try lacksCounter(withCounter { $0.finding }) else { return }
      try noteCounter(false)
      withCounter { $0.finding = .none }
    }
  }

  /// Whether no TPM has a slot of the machine key, so that a counter is only assumed because the
  /// state is lost.
  private func lacksCounter(_ finding: CounterUse.Finding) throws(VaultFailure) -> Bool {
    switch finding {
    case .none, .unchecked, .current, .distrusted(.olderLedger): return false
    default: break
    }
    // A slot that cannot be read may be one of a TPM.
    return try readSlots().allSatisfy { $0.slot.map { $0.header.kind != .tpm } ?? false }
  }

  /// The name of the storage key of this machine's TPM.
  private func parentName(_ finding: CounterUse.Finding) throws(VaultFailure) -> [UInt8] {
    switch finding {
    case .current(let ledger), .distrusted(.olderLedger(let ledger, _)):
      return ledger.counter.parentName
    default: break
    }
    let key = try openedKey().0
    for slot in try readSlots().compactMap(\.slot)
    where slot.header.kind == .tpm && slot.machineKey == key.identifier {
      guard case .success = try openByTPM(slot), let name = slot.parentName else { continue }
      return name
    }
    throw .vaultUnsafe(
      "no slot of the machine key opens with this TPM",
      hint: VaultHint(VaultFailure.recoverByOwner)
    )
  }

  // MARK: - Another counter

  /// Defines the counter of a machine key that is being made; `nil` if the TPM accepts none.
  func counterLedger(
    of key: MachineKey,
    in identifier: [UInt8],
    _ slot: SealedSlot
  ) -> CounterLedger? {
    do throws(VaultFailure) {
      return try counter(key, in: identifier).defined(parentName: slot.slot.parentName ?? [])
    } catch {
      withCounter { $0.problem = error.problem }
      return nil
    }
  }

  /// Compares again, serialized with other uses.
  ///
  /// With a TPM that has no counter of this directory, it begins a new one.
  ///
  /// It begins one only if the machine key is open and a slot is sealed with this TPM now. That
  /// accepts the present vaults, unless there is an older ledger of the same TPM.
  ///
  /// - Parameter parentName: the name of the TPM's storage key; `nil` if no slot is sealed now.
  /// - Throws: why the state cannot be written, and why the TPM of a new slot does not answer.
  func renewCounter(_ parentName: [UInt8]?) throws(VaultFailure) {
    let counter = try openedCounter()
    let found: MachineCounter.Finding
    do throws(VaultFailure) {
      // A copy of the file of a removal would remove the counter after it was adopted again.
      try counter.clearUnfinished()
      found = try counter.check(isExpected: hasCounter)
    } catch {
      // The next start would refuse a new slot whose TPM does not have the counter of the ledger.
      guard parentName == nil || !hasCounter else { throw error }
      // The ledger stays unchecked in this run.
      return withCounter { $0.problem = error.problem }
    }
    switch found {
    case .current: break
    case .distrusted(.olderLedger) where hasCounter: break
    case .none, .distrusted:
      if let parentName { return try beginCounter(counter, parentName) }
      guard hasCounter else { return }
    }
    withCounter { $0.finding = CounterUse.Finding(found) }
    try noteCounter(true)
  }

  private func beginCounter(
    _ counter: MachineCounter,
    _ parentName: [UInt8]
  ) throws(VaultFailure) {
    var isDefined = false
    do throws(VaultFailure) {
      let ledger = try counter.define(parentName: parentName)
      isDefined = true
      try noteCounter(true)
      counter.finishDefinition(ledger)
      withCounter { counter in
        counter.finding = .current(ledger)
        counter.problem = nil
      }
    } catch {
      // Without a counter, the ledger of another TPM would refuse every vault.
      try noteCounter(false)
      // A helper that did not answer may still define the counter, so its file stays then.
      if isDefined { counter.removeUnfinished() }
      withCounter { counter in
        counter.finding = .none
        counter.problem = error.problem
      }
    }
  }

  /// Ends the use of the TPM's counter, before its last slot is removed.
  ///
  /// - Throws: why the state cannot be written, and why the counter of an earlier definition or
  ///   removal may still be there.
  func endCounter() throws(VaultFailure) {
    // After a write that failed, the state's file may still name a counter.
    guard hasCounter || isStateUncertain else { return }
    let counter = try openedCounter()
    if case .current(let ledger) = withCounter({ $0.finding }) {
      // The file can hold only one removal.
      try counter.clearUnfinished()
      try counter.beginRemoval(ledger)
    }
    try noteCounter(false)
    withCounter { $0.finding = .none }
    counter.removeUnfinished()
  }

  /// Writes into the state whether there is a counter.
  private func noteCounter(_ isThere: Bool) throws(VaultFailure) {
    let isKept = try readState(under: try openedKey().0) != nil
    guard hasCounter != isThere || isStateUncertain || !isKept else { return }
    let (phase, left) = progress
    try write(phase, left, hasCounter: isThere)
  }
}

extension MachineKeySlot {
  /// The name of the storage key of the TPM that sealed it; `nil` for another kind.
  var parentName: [UInt8]? {
    guard header.kind == .tpm else { return nil }
    return (try? TPMSealedSecret(parameters: header.parameters))?.parentName
  }
}
