internal import MachineKey
internal import SecretMemory
internal import TokenVault
internal import Varlink
internal import VaultInterface

// The slots of the machine key. In the service form root changes them, and in the private form the
// system password allows it. A recovery by code needs neither: perhaps no vault is open that could
// check a password, and the code is a stronger proof.
extension Vaults {
  /// Answers a call about the slots; `nil` if it is about something else.
  ///
  /// No vault of the caller is needed. It may not open without the machine key.
  func answerAboutSlots(_ request: VaultRequest, _ context: CallContext) async -> VarlinkReply? {
    let caller = context.caller
    do throws(VaultFailure) {
      switch request {
      case .deviceSecretStatus: return try .made(try await deviceSecretStatus(of: caller))
      case .addSlot(let call): return try .made(try await addSlot(call, context))
      case .removeSlot(let call): return try .made(try await removeSlot(call, of: caller))
      case .testSlots(let call): return try .made(try await testSlots(call, of: caller))
      case .openMachineKey(let call): return try .made(try await openMachineKey(call, context))
      case .recoverWithCode(let call): return try .made(try await recoverWithCode(call, of: caller))
      default: return nil
      }
    } catch {
      if case .refused = error {
        noteRefusal("slots of the machine key", of: nil, by: "user \(caller.user)")
      }
      return Dispatcher.failure(error)
    }
  }

  func deviceSecretStatus(
    of caller: Caller
  ) async throws(VaultFailure) -> DeviceSecretStatusReply {
    let slots = try knownSlots()
    let mayAsk = form == .private || caller.user == 0
    let (facts, tpm) = try await blocking { () throws(VaultFailure) in
      // The TPM first: then the facts show a key that was opened in the meantime.
      let tpm = mayAsk ? slots.tpmFacts() : nil
      return (try slots.facts(of: mayAsk ? nil : caller.user), tpm)
    }
    return DeviceSecretStatusReply(
      tier: DeviceSecretTier(facts.tier),
      slots: facts.slots.map { VaultMachineSlot($0) },
      open: facts.isOpen,
      tpm: tpm?.name,
      tpmProblem: tpm?.problem,
      counter: facts.counter.map { CounterCheck($0) },
      counterProblem: facts.counterProblem
    )
  }

  func addSlot(
    _ call: AddSlotCall,
    _ context: CallContext
  ) async throws(VaultFailure) -> AddSlotReply {
    let caller = context.caller
    let slots = try knownSlots()
    // A refused caller neither asks the TPM nor keeps root from a change.
    try demandRoot(caller)
    let kind = MachineKeySlot.Kind(call.kind)
    if kind == .securityKey { try demandPrivate() }
    return try await slotChanges.alone { () async throws(VaultFailure) in
      var code: RecoveryCode?
      if let typed = call.recovery {
        let given = try Self.code(typed)
        try slotChanges.demand(given, for: kind, of: caller.connection)
        code = given
      } else {
        // A person is asked for the password only if the rest can succeed.
        let needsCode = try await blocking { () throws(VaultFailure) in
          try slots.needsCode(toAdd: kind, pin: call.pin)
        }
        if !slotChanges.isAllowed(kind, to: caller.connection) {
          try await allowChange("add \(call.kind.word)", call.prompt, caller)
        }
        if needsCode { return try show(kind, slots, caller) }
        // A wrong PIN does not cost another password.
        if kind == .securityKey { slotChanges.allow(kind, to: caller.connection) }
      }
      let made = kind == .securityKey ? try await madeKey(call.pin, slots, context) : nil
      let count = try await add(kind, code, made, slots, caller)
      await record("added a slot: \(call.kind.word)", caller)
      return AddSlotReply(
        code: nil,
        slots: try await shownSlots(slots),
        vaults: count,
        counterProblem: kind == .tpm ? slots.unusedCounter : nil
      )
    }
  }

  /// A new recovery code, which has to be typed back.
  private func show(
    _ kind: MachineKeySlot.Kind,
    _ slots: MachineKeySlots,
    _ caller: Caller
  ) throws(VaultFailure) -> AddSlotReply {
    let code: RecoveryCode
    let text: SharedSecret
    do throws(RecoveryCode.Flaw) {
      code = try RecoveryCode.random()
      text = try code.text()
    } catch {
      throw VaultFailure(error)
    }
    try slotChanges.keep(code, for: kind, of: caller.connection)
    return AddSlotReply(code: text, slots: [], vaults: 0)
  }

  /// Adds a slot; returns how many vaults were rekeyed.
  private func add(
    _ kind: MachineKeySlot.Kind,
    _ code: RecoveryCode?,
    _ made: SecurityKeySecret?,
    _ slots: MachineKeySlots,
    _ caller: Caller
  ) async throws(VaultFailure) -> Int {
    try await blocking { () throws(VaultFailure) in
      switch (kind, code) {
      case (.recovery, let code?): _ = try slots.addRecovery(code)
      case (_, let code?): try slots.make(recovery: code, by: made)
      case (.securityKey, nil): if let made { _ = try slots.addKey(made) }
      // An interrupted addition continues. An addition of a security key has no TPM slot. Its slots
      // do not open either, if only the code opens the key.
      case (_, nil):
        if !slots.isAdding || slots.isHeldByCode || !slots.hasTPMSlot { _ = try slots.addTPM() }
      }
    }
    if code != nil { slotChanges.forgetCode(of: caller.connection) }
    slotChanges.forgetAllowance(of: caller.connection)
    // A recovery code is useful now, even if some vault cannot be brought under the key yet.
    return kind != .recovery && slots.isAdding ? try await finishAddition(slots, caller) : 0
  }

  func removeSlot(
    _ call: RemoveSlotCall,
    of caller: Caller
  ) async throws(VaultFailure) -> RemoveSlotReply {
    let slots = try knownSlots()
    try demandRoot(caller)
    return try await slotChanges.alone { () async throws(VaultFailure) in
      let slot = try known(call.slot, slots)
      try await allowChange("remove \(slot)", call.prompt, caller)
      try await blocking { () throws(VaultFailure) in
        _ = try slots.key()
        try slots.remove(slot)
      }
      await record("removed slot \(slot)", caller)
      return RemoveSlotReply(slots: try await shownSlots(slots))
    }
  }

  func testSlots(
    _ call: TestSlotsCall,
    of caller: Caller
  ) async throws(VaultFailure) -> TestSlotsReply {
    let slots = try knownSlots()
    try demandRoot(caller)
    let code: RecoveryCode? = if let typed = call.code { try Self.code(typed) } else { nil }
    let tests = try await blocking { () throws(VaultFailure) in try slots.test(with: code) }
    return TestSlotsReply(tests: tests.map { VaultSlotTest($0) })
  }

  func recoverWithCode(
    _ call: RecoverWithCodeCall,
    of caller: Caller
  ) async throws(VaultFailure) -> RecoverWithCodeReply {
    let slots = try knownSlots()
    try demandRoot(caller)
    let code = try Self.code(call.code)
    let reply = try await slotChanges.alone { () async throws(VaultFailure) in
      let done = try await blocking { () throws(VaultFailure) in try slots.recover(with: code) }
      await record("opened with the recovery code", isByCode: true, caller)
      return RecoverWithCodeReply(
        added: done.added,
        removed: done.removed,
        problem: done.problem,
        counterProblem: done.problem == nil ? slots.unusedCounter : nil
      )
    }
    // An addition may have waited for the key.
    slotChanges.forgetAdditions()
    resumeAddition()
    return reply
  }

  // MARK: - Parts

  /// The name of a slot, which is shown to the person.
  private func known(_ slot: String, _ slots: MachineKeySlots) throws(VaultFailure) -> String {
    guard
      let found = try slots.facts().slots.first(where: {
        $0.identifier.utf8.elementsEqual(slot.utf8)
      })
    else {
      throw .invalidArgument("there is no such slot: thumblatch device-secret status")
    }
    return found.identifier
  }

  func knownSlots() throws(VaultFailure) -> MachineKeySlots {
    guard let slots = slotChanges.slots else { throw .unexpected("no machine key is used here") }
    return slots
  }

  private func demandRoot(_ caller: Caller) throws(VaultFailure) {
    guard form == .private || caller.user == 0 else {
      throw .refused("only root may use the slots of the machine key")
    }
  }

  /// Has the owner of a private vault allow a change of the slots with the system password.
  private func allowChange(
    _ detail: String,
    _ prompt: String?,
    _ caller: Caller
  ) async throws(VaultFailure) {
    guard let onlyUser else { return }
    try await use(of: onlyUser) { vault throws(VaultFailure) in
      try await vault.allowSlotChange(detail, prompt: prompt, caller: caller)
    }
  }

  /// Records a change that was made: in the journal, and in the audit log of the private vault, or
  /// of root's vault in the service if there is one.
  ///
  /// The service copies the records of root's vault to the journal, as structured fields with the
  /// head. The caller gets the result of the change, also if it cannot be recorded.
  private func record(_ what: String, isByCode: Bool = false, _ caller: Caller) async {
    Journal.note("machine key: \(what) (user \(caller.user), \(caller.requester))")
    guard let onlyUser else { return await recordForRoot(what, caller) }
    do throws(VaultFailure) {
      try await use(of: onlyUser, keeps: false) { vault throws(VaultFailure) in
        try await vault.recordSlotChange(what, isByCode: isByCode, caller: caller)
      }
    } catch {
      Journal.note("the audit log has no record of that: \(error)")
    }
  }

  private func recordForRoot(_ what: String, _ caller: Caller) async {
    guard let care else { return }
    do throws(VaultFailure) {
      let opened = try await borrow(forRoot: caller.user, care)
      defer { giveBack(caller.user, opened, false, false) }
      // Root passes no check.
      try await opened.vault.recordSlotChange(what, isByCode: true, caller: caller)
    } catch {
      if case .noSuchUser = error { return }
      Journal.note("the audit log has no record of that: \(error)")
    }
  }

  private func shownSlots(_ slots: MachineKeySlots) async throws(VaultFailure) -> [VaultMachineSlot]
  {
    try await blocking { () throws(VaultFailure) in
      try slots.facts().slots.map { VaultMachineSlot($0) }
    }
  }

  private static func code(_ typed: SharedSecret) throws(VaultFailure) -> RecoveryCode {
    do throws(RecoveryCode.Flaw) {
      return try RecoveryCode.typed(typed.bytes)
    } catch {
      throw VaultFailure(error)
    }
  }
}
