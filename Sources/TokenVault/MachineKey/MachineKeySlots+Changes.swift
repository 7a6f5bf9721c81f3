package import MachineKey
internal import Storage

// Changes of the slots. The steps of `device-secret add tpm`:
//
// 1. Make the recovery code, show it, and have it typed back.
// 2. Seal a new machine key with the TPM and with the code, and define the TPM's counter with its
//    ledger, in a directory beside the final one.
// 3. Rename that directory: from now on opening a vault needs the machine key.
// 4. List the vaults in the state. From now on no other vault opens with only its file.
// 5. Rekey each vault of the list (MachineKeySlots+Adoption.swift), and remove it from the list.
//
// | killed        | the next start finds               | and                                |
// |---------------|------------------------------------|------------------------------------|
// | before step 3 | no machine key                     | removes what step 2 has left       |
// | before step 4 | the machine key                    | goes on with step 4                |
// | in step 5     | the machine key, and the vaults    | rekeys the vaults that are left,   |
// |               | that are left                      | and refuses each other one that    |
// |               |                                    | opens by its file: an old copy     |
extension MachineKeySlots {
  /// Makes the machine key, with a slot of this code and one of the hardware (steps 2 and 3).
  ///
  /// - Parameters:
  ///   - code: the recovery code.
  ///   - made: the security key's part of its slot; `nil` for a slot of the TPM.
  /// - Throws: `invalidArgument` if there is already a machine key, or no TPM.
  package func make(
    recovery code: RecoveryCode,
    by made: SecurityKeySecret? = nil
  ) throws(VaultFailure) {
    try inTurn { () throws(VaultFailure) in
      guard try !stored(try directory.exists()) else {
        throw .invalidArgument("the machine key was made before: thumblatch device-secret status")
      }
      let (key, identifier) = try fresh()
      let first: SealedSlot
      if let made {
        first = try sealed(key, in: identifier, by: made)
      } else {
        first = try sealed(key, in: identifier)
      }
      let recovery = try sealed(key, in: identifier, by: code)
      let ledger = made == nil ? counterLedger(of: key, in: identifier, first) : nil
      let state = try usable { () throws(MachineKeyError) in
        try MachineKeyState(
          directory: identifier,
          phase: .adding,
          hasCounter: ledger != nil,
          under: key
        )
      }
      do throws(StorageError) {
        let slots = [first, recovery].map(\.file)
        try directory.make(state: state.encoded, slots: slots, ledger: ledger?.encoded)
      } catch {
        // After an uncertain write, the directory may be there and need its counter.
        if case .uncertain = error { throw VaultFailure(error) }
        counter(key, in: identifier).removeUnfinished()
        throw VaultFailure(error)
      }
      keep(key, state)
      if let ledger {
        counter(key, in: identifier).finishDefinition(ledger)
        withCounter { $0.finding = .current(ledger) }
      }
    }
  }

  /// Adds a slot of a recovery code; returns its identifier.
  package func addRecovery(_ code: RecoveryCode) throws(VaultFailure) -> String {
    try inTurn { () throws(VaultFailure) in
      let (key, identifier) = try openedKey()
      try demandRoom()
      let slot = try sealed(key, in: identifier, by: code)
      try stored(try directory.add(slot.file))
      return slot.name
    }
  }

  /// Adds a slot of the TPM, unless one opens; returns its identifier.
  ///
  /// If one opens, and the TPM has no counter yet, it defines one. A TPM that does not answer at
  /// the moment gets no slot.
  package func addTPM() throws(VaultFailure) -> String {
    try inTurn { () throws(VaultFailure) in
      let (key, identifier) = try openedKey()
      let slots = try readSlots().compactMap(\.slot).filter { $0.machineKey == key.identifier }
      let tried = try triedByTPM(slots)
      if let slot = tried.opens { return try useTPM(slot) }
      // The TPM may open its slot again soon, and then needs no second one.
      if let momentary = tried.momentary { throw .machineKeyClosed(momentary) }
      try demandRoom()
      let slot = try sealed(key, in: identifier)
      // An unknown TPM error may have passed: the present slots are tried again.
      if let slot = try triedByTPM(tried.unclear).opens { return try useTPM(slot) }
      try renewCounter(slot.slot.parentName)
      try stored(try directory.add(slot.file))
      noteHeldByCode(false)
      return slot.name
    }
  }

  /// Uses a TPM that opens this slot: compares its counter, or defines one if it has none.
  ///
  /// - Returns: the identifier of the slot.
  /// - Throws: `invalidArgument` if there was nothing to do.
  private func useTPM(_ slot: MachineKeySlot) throws(VaultFailure) -> String {
    let wasHeld = isHeldByCode
    noteHeldByCode(false)
    let had = hasCounter
    if !had {
      try renewCounter(slot.parentName)
    } else if withCounter({ $0.finding }) == .unchecked {
      try renewCounter(nil)
    }
    guard wasHeld || (!had && hasCounter) else {
      throw .invalidArgument("the TPM opens slot \(slot.name) already")
    }
    return slot.name
  }

  /// Removes a slot.
  ///
  /// A slot of the TPM that opens, or one of a security key, and a recovery slot must remain.
  /// Without the first, each start of the engine would need the code. Without the second, a cleared
  /// TPM or a lost key would lose all vaults.
  package func remove(_ name: String) throws(VaultFailure) {
    try inTurn { () throws(VaultFailure) in
      guard try stored(try directory.exists()) else { throw .noMachineKey }
      let slots = try readSlots()
      guard let slot = slots.first(where: { $0.facts.identifier.utf8.elementsEqual(name.utf8) })
      else { throw .invalidArgument("there is no such slot: thumblatch device-secret status") }
      // A slot of another machine key opens no vault here.
      let key = try openedKey().0
      let others = slots.filter { $0.identifier != slot.identifier }.compactMap(\.slot)
        .filter { $0.machineKey == key.identifier }
      guard others.contains(where: { $0.header.kind == .recovery }) else {
        throw .refused(
          "the last recovery code stays: without it a cleared TPM loses every vault"
            + " (add another one first: thumblatch device-secret add recovery)"
        )
      }
      // A security key is not tested here, because that needs a touch. If it is lost, there is the
      // code.
      var opens = others.contains { $0.header.kind == .securityKey }
      var temporary: TPMFailure?
      for other in others where other.header.kind == .tpm && !opens {
        switch try openByTPM(other) {
        case .success: opens = true
        case .failure(let failure): if failure.isTemporary { temporary = failure }
        }
      }
      guard opens else {
        if let temporary { throw .machineKeyClosed(temporary) }
        throw .refused(
          "the last slot that the TPM or a security key opens stays: without it each start of the"
            + " engine needs the recovery code"
        )
      }
      // Without a slot of the TPM, another machine must not need this one's counter.
      if slot.slot?.header.kind == .tpm, !others.contains(where: { $0.header.kind == .tpm }) {
        try endCounter()
      }
      try stored(try directory.remove(slot.identifier))
    }
  }

  /// Opens the machine key with a recovery code, and seals a slot with this machine's TPM,
  /// unless the TPM already opens a slot.
  ///
  /// - Throws: `invalidArgument` if the code opens no slot.
  package func recover(with code: RecoveryCode) throws(VaultFailure) -> RecoveredKey {
    try inTurn { () throws(VaultFailure) in
      guard try stored(try directory.exists()) else { throw .noMachineKey }
      let slots = try likelySlots()
      guard let key = try opened(by: code, slots) else {
        throw .invalidArgument(
          "this code opens no slot: it is the code of another vault, or was removed"
        )
      }
      // A key that is already open keeps the result of its comparison with the counter.
      let isOpen = opened?.identifier == key.identifier
      let known: CounterUse.Finding = isOpen ? withCounter { $0.finding } : .none
      keep(key, try readState(under: key))
      let finding: CounterUse.Finding =
        if !hasCounter { .none } else if known == .none { .unchecked } else { known }
      withCounter { $0.finding = finding }
      noteHeldByCode(true)
      let done = try seal(key, slots.filter { $0.machineKey == key.identifier })
      noteHeldByCode(done.problem != nil)
      return done
    }
  }

  /// Seals a slot with this machine's TPM, unless the TPM already opens a slot.
  private func seal(
    _ key: MachineKey,
    _ slots: [MachineKeySlot]
  ) throws(VaultFailure) -> RecoveredKey {
    // A person who wants a touch at each start gets no slot that opens without one.
    let kinds = Set(slots.map(\.header.kind))
    guard kinds.contains(.tpm) || !kinds.contains(.securityKey) else {
      let problem =
        "only security keys have slots; to replace a lost one: thumblatch device-secret add fido2"
      return RecoveredKey(added: nil, removed: [], problem: problem)
    }
    let tried = try triedByTPM(slots)
    if tried.opens != nil { return try usedSlot() }
    // The TPM may open its slot again soon, and then needs no second one.
    if let momentary = tried.momentary {
      let problem = VaultFailure.machineKeyClosed(momentary).problem
      return RecoveredKey(added: nil, removed: [], problem: problem)
    }
    let added: SealedSlot
    do throws(VaultFailure) {
      guard let identifier = slots.first?.header.directory else { throw .noMachineKey }
      added = try sealed(key, in: identifier)
    } catch {
      return RecoveredKey(added: nil, removed: [], problem: error.problem)
    }
    // An unknown TPM error may have passed: the present slots are tried again.
    if try triedByTPM(tried.unclear).opens != nil { return try usedSlot() }
    let dead = tried.dead
    // Removing slots that no longer open makes room, but only do that if it is enough.
    let count = try readSlots().count
    var removed: [String] = []
    if let first = dead.first, count == MachineKeyDirectory.mostSlots {
      try stored(try directory.remove(first.header.identifier))
      removed.append(first.name)
    }
    do throws(VaultFailure) {
      try demandRoom()
      // The next start compares with this TPM, so its counter is defined before its slot.
      try renewCounter(added.slot.parentName)
    } catch {
      return RecoveredKey(added: nil, removed: removed, problem: error.problem)
    }
    try stored(try directory.add(added.file))
    for slot in dead { try stored(try directory.remove(slot.header.identifier)) }
    return RecoveredKey(added: added.name, removed: dead.map(\.name), problem: nil)
  }

  /// The result of a recovery whose TPM opens a slot, after a comparison with its counter.
  private func usedSlot() throws(VaultFailure) -> RecoveredKey {
    try renewCounter(nil)
    return RecoveredKey(added: nil, removed: [], problem: nil)
  }

  /// The machine key and the identifier of its directory, for a change of the slots.
  func openedKey() throws(VaultFailure) -> (MachineKey, directory: [UInt8]) {
    guard let key = opened else { throw .noMachineKey }
    return (key, try identifier(of: key, try readState(under: key)))
  }

  /// The identifier of the directory of an opened machine key.
  func identifier(
    of key: MachineKey,
    _ state: MachineKeyState?
  ) throws(VaultFailure) -> [UInt8] {
    if let state { return state.directory }
    guard
      let slot = try readSlots().compactMap(\.slot).first(where: {
        $0.machineKey == key.identifier
      })
    else { throw .machineKeyDamaged("its slots are missing") }
    return slot.header.directory
  }

  func demandRoom() throws(VaultFailure) {
    guard try readSlots().count < MachineKeyDirectory.mostSlots else {
      throw .invalidArgument(
        "there are \(MachineKeyDirectory.mostSlots) slots: remove one first"
          + " (thumblatch device-secret remove)"
      )
    }
  }
}

extension VaultFailure {
  /// There is no machine key, so there is no slot.
  static let noMachineKey = invalidArgument(
    "the device secret is in a file: add the TPM or a security key first"
      + " (thumblatch device-secret add)"
  )
}
