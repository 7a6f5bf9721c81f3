package import MachineKey
package import SecretMemory
internal import Storage
internal import Synchronization

extension MachineKeySlots {
  /// The facts about the machine key from its files, without asking the TPM.
  ///
  /// The tier is that of this user's vault, or the weakest of all vaults.
  package func facts(of user: UInt32? = nil) throws(VaultFailure) -> MachineKeyFacts {
    guard try stored(try directory.exists()) else {
      return MachineKeyFacts(
        tier: .file,
        slots: [],
        isOpen: false,
        counter: nil,
        counterProblem: nil
      )
    }
    var (phase, left) = progress
    if opened == nil, let bytes = try stored(try directory.state()),
      let said = try? MachineKeyState(parsing: bytes)
    {
      // Until the key is open, the state is not authenticated: it is only shown.
      (phase, left) = (said.phase, said.left)
    }
    let slots = try readSlots().map(\.facts)
    let whole = slots.contains { $0.kind == .tpm } || !slots.contains { $0.kind == .securityKey }
    let isLeft = user.map { left[$0] != nil } ?? !left.isEmpty
    return MachineKeyFacts(
      tier: phase == .adding || isLeft ? .adding : whole ? .tpm : .securityKey,
      slots: slots,
      isOpen: opened != nil,
      counter: counterCheck,
      counterProblem: counterProblem
    )
  }

  /// The result of the comparison with the TPM's counter; `nil` if the machine key is not open.
  var counterCheck: CounterComparison? {
    guard opened != nil else { return nil }
    return switch withCounter({ $0.finding }) {
    case .none: CounterComparison.none
    case .unchecked: .unchecked
    case .current: .current
    case .distrusted: .refused
    }
  }

  /// Why there is no counter or no comparison, or what is wrong; `nil` if that is not known.
  var counterProblem: String? {
    if case .distrusted(let reason) = withCounter({ $0.finding }) {
      return StoreFreshness(reason).problem
    }
    return unusedCounter
  }

  /// Why there is no counter or no comparison; `nil` if that is not known.
  package var unusedCounter: String? {
    let counter = withCounter { $0 }
    return switch counter.finding {
    case .none, .unchecked: counter.problem
    case .current, .distrusted: nil
    }
  }

  /// Whether there is a machine key, but no slot of it has opened in this run.
  package var isClosed: Bool { opened == nil && (try? directory.exists()) ?? true }

  /// Whether the machine key is open.
  package var isOpen: Bool { opened != nil }

  /// Whether this process was denied access to the TPM.
  ///
  /// Another process of the same user may have access.
  package var isDenied: Bool { wasDenied.load(ordering: .relaxed) }

  func noteDenied(_ failures: [TPMFailure]) {
    if failures.contains(.notPermitted) { wasDenied.store(true, ordering: .relaxed) }
  }

  /// Whether the addition of the machine key seems to be unfinished, before the key is open.
  package var seemsUnfinished: Bool { (try? facts())?.tier == .adding }

  /// The name of the TPM, or why it cannot be used.
  ///
  /// It waits for other uses to end: some devices serve only one conversation at a time.
  package func tpmFacts() -> (name: String?, problem: String?) {
    do throws(VaultFailure) {
      let facts = try askedFacts()
      return ("\(facts.maker) \(facts.firmware)", nil)
    } catch {
      return (nil, error.shown)
    }
  }

  private func askedFacts() throws(VaultFailure) -> TPMFacts {
    try inTurn { () throws(VaultFailure) in
      do throws(TPMFailure) { return try tpm.facts() } catch {
        noteDenied([error])
        throw .slotNotSealed(error)
      }
    }
  }

  /// Whether the opened machine key has a slot of a TPM.
  package var hasTPMSlot: Bool {
    guard let key = opened, let slots = try? likelySlots() else { return false }
    return slots.contains { $0.header.kind == .tpm && $0.machineKey == key.identifier }
  }

  /// Why there is no slot to try.
  ///
  /// A file that cannot be read may be the slot of the TPM, and may be mended.
  var noUsableSlot: VaultFailure {
    let unread = (try? readSlots())?.first { $0.slot == nil }
    guard let unread, let problem = unread.problem else { return .noHardwareSlot }
    return .slotUnread(unread.facts.identifier, problem)
  }

  /// Whether a new recovery code is needed before a slot of this kind is added.
  ///
  /// - Throws: why the slot cannot be added.
  package func needsCode(
    toAdd kind: MachineKeySlot.Kind,
    pin: SharedSecret? = nil
  ) throws(VaultFailure) -> Bool {
    let key = try key()
    switch kind {
    case .recovery:
      guard key != nil else { throw .noMachineKey }
      return true
    case .tpm: _ = try askedFacts()
    // An interrupted addition continues without the key.
    case .securityKey: if !isAdding || !hasKeySlot { try lookAtKey(pin: pin) }
    }
    return key == nil
  }

  /// Tries each slot of the TPM, and each recovery slot if a code is given.
  package func test(with code: RecoveryCode?) throws(VaultFailure) -> [SlotTest] {
    try inTurn { () throws(VaultFailure) in
      guard try stored(try directory.exists()) else { throw .noMachineKey }
      let slots = try readSlots()
      let recovery = slots.compactMap(\.slot).filter { $0.header.kind == .recovery }
      var opens: String?
      if let code {
        for slot in recovery where opens == nil {
          if try opened(by: code, [slot]) != nil { opens = slot.name }
        }
      }
      var tests: [SlotTest] = []
      for read in slots { tests.append(try test(read, code, opens: opens)) }
      return tests
    }
  }

  /// Whether a recovery slot of the key in use opens with this code.
  func isOpened(by code: RecoveryCode) throws(VaultFailure) -> Bool {
    guard try stored(try directory.exists()) else { throw .noMachineKey }
    guard let key = try opened(by: code, try readSlots().compactMap(\.slot)) else { return false }
    return opened.map { $0.identifier == key.identifier } ?? true
  }

  /// Tests one slot; `opens` names the recovery slot that the code opens.
  private func test(
    _ read: ReadSlot,
    _ code: RecoveryCode?,
    opens: String?
  ) throws(VaultFailure) -> SlotTest {
    guard let slot = read.slot else {
      return SlotTest(slot: read.facts, opens: false, detail: read.problem)
    }
    switch slot.header.kind {
    case .tpm:
      guard case .failure(let failure) = try openByTPM(slot) else {
        forgetFailure()
        return SlotTest(slot: read.facts, opens: true, detail: nil)
      }
      return SlotTest(
        slot: read.facts,
        // A busy TPM says nothing about the slot.
        opens: failure.isTemporary ? nil : false,
        detail: VaultFailure.machineKeyClosed(failure).shown
      )
    case .recovery:
      guard code != nil else {
        return SlotTest(slot: read.facts, opens: nil, detail: "add --code to test it")
      }
      guard let opens else {
        let detail = "this is not its code, or the slot is damaged"
        return SlotTest(slot: read.facts, opens: false, detail: detail)
      }
      // The slot may have another code.
      return opens == slot.name
        ? SlotTest(slot: read.facts, opens: true, detail: nil)
        : SlotTest(slot: read.facts, opens: nil, detail: "the code is that of slot \(opens)")
    case .securityKey:
      return SlotTest(slot: read.facts, opens: nil, detail: "it needs a touch")
    }
  }
}

extension VaultFailure {
  /// The message with its remedy, in one line.
  fileprivate var shown: String {
    if case .vaultUnsafe(_, let hint?) = self { "\(problem) (\(hint.text))" } else { problem }
  }
}
