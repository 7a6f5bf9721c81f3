package import MachineKey
package import SecretMemory
internal import Storage

// The slots of security keys, in the private form. No lock is held while a person is asked for a
// touch.
extension MachineKeySlots {
  /// Examines the security key that is plugged in, before a person is asked for anything.
  ///
  /// - Throws: `keyPINNeeded` if it needs its PIN and none is given, and why it can have no slot.
  func lookAtKey(pin: SharedSecret?) throws(VaultFailure) {
    let facts: SecurityKeyFacts
    do throws(SecurityKeyFailure) {
      facts = try keys.look()
    } catch {
      throw .keySlotNotMade(error)
    }
    if facts.needsPIN, pin == nil {
      throw .keySlotNotMade(.pinNeeded(retries: facts.retries))
    }
  }

  /// Makes a credential and its secret with the security key that is plugged in: two touches.
  ///
  /// Nothing is stored yet.
  package func makeKeySecret(
    pin: SharedSecret?,
    _ wait: SecurityKeyWait,
    lit: @escaping @Sendable () -> Void
  ) throws(VaultFailure) -> SecurityKeySecret {
    let known = try stored(try directory.exists()) ? try keySlots(of: opened) : []
    do throws(SecurityKeyFailure) {
      return try keys.make(
        excluding: known.map(\.parameters.credential),
        pin: pin,
        wait,
        lit: lit
      )
    } catch {
      throw .keySlotNotMade(error)
    }
  }

  /// Opens the machine key with the security key that is plugged in, unless it is open: one touch.
  ///
  /// - Throws: `keyPINNeeded`, and why no slot opens; nothing was changed then.
  package func openByKey(
    pin: SharedSecret?,
    _ wait: SecurityKeyWait,
    lit: @escaping @Sendable () -> Void
  ) throws(VaultFailure) {
    guard opened == nil else { return }
    guard try stored(try directory.exists()) else { throw .noMachineKey }
    let slots = try keySlots(of: nil)
    guard !slots.isEmpty else { throw .invalidArgument("the machine key has no security key") }
    let found: (index: Int, secret: SharedSecret)
    do throws(SecurityKeyFailure) {
      found = try keys.open(slots.map(\.parameters), pin: pin, wait, lit: lit)
    } catch {
      throw .keySlotClosed(error)
    }
    let key: MachineKey
    do throws(MachineKeyError) {
      key = try slots[found.index].slot.open(with: found.secret.bytes)
    } catch {
      guard error == .doesNotOpen else { throw .machineKeyDamaged("\(error)") }
      throw .keySlotFalse
    }
    try inTurn { () throws(VaultFailure) in
      if opened == nil { _ = try adoptOpened(key) }
    }
  }

  /// A slot of a security key, and its parameters for the key.
  struct KeySlot {
    let slot: MachineKeySlot
    let parameters: SecurityKeyParameters
  }

  /// The slots of security keys, of this machine key or of all.
  func keySlots(of key: MachineKey?) throws(VaultFailure) -> [KeySlot] {
    try likelySlots().compactMap { slot in
      guard slot.header.kind == .securityKey, slot.header.owner == owner,
        key == nil || slot.machineKey == key?.identifier,
        let parameters = try? SecurityKeyParameters(parameters: slot.header.parameters)
      else { return nil }
      return KeySlot(slot: slot, parameters: parameters)
    }
  }

  /// Whether the opened machine key has a slot of a security key.
  package var hasKeySlot: Bool {
    guard let key = opened, let slots = try? keySlots(of: key) else { return false }
    return !slots.isEmpty
  }

  /// Why no slot opens without a person, if a security key may open one.
  ///
  /// - Parameter failure: why the TPM opens no slot; `nil` if it has no slot.
  /// - Returns: the failure of the call; `nil` if there is no slot of a security key.
  /// - Throws: why the slots cannot be read.
  func keyNeeded(_ failure: TPMFailure?) throws(VaultFailure) -> VaultFailure? {
    guard try !keySlots(of: nil).isEmpty else { return nil }
    guard let failure else {
      return .machineKeyNeeded("the vault needs a touch of its security key")
    }
    // The counter must be compared before the machine key is used, so a touch would not be enough.
    if failure.hidesCounter, try namesCounter() { return nil }
    let problem =
      if case .unexpected(let code) = failure {
        "unexpected TPM error: \(code)"
      } else {
        VaultFailure.machineKeyClosed(failure).problem
      }
    return .machineKeyNeeded("\(problem): a touch of its security key opens it too")
  }

  /// Whether the TPM may have a counter: the state names one, or cannot be read.
  ///
  /// The state is not authenticated before a slot opens.
  private func namesCounter() throws(VaultFailure) -> Bool {
    let state = try stored(try directory.state()).flatMap { try? MachineKeyState(parsing: $0) }
    return state?.hasCounter ?? true
  }

  /// Seals a machine key under the secret of a security key.
  func sealed(
    _ key: MachineKey,
    in identifier: [UInt8],
    by made: SecurityKeySecret
  ) throws(VaultFailure) -> SealedSlot {
    let owner = owner
    return SealedSlot(
      slot: try usable { () throws(MachineKeyError) in
        var header = try MachineKeySlot.Header(.securityKey, directory: identifier, owner: owner)
        header.parameters = try made.parameters.parameters
        return try MachineKeySlot(header, sealing: key, under: made.secret.bytes)
      }
    )
  }

  /// Adds a slot of a security key; returns its identifier.
  package func addKey(_ made: SecurityKeySecret) throws(VaultFailure) -> String {
    try inTurn { () throws(VaultFailure) in
      let (key, identifier) = try openedKey()
      try demandRoom()
      let slot = try sealed(key, in: identifier, by: made)
      try stored(try directory.add(slot.file))
      noteHeldByCode(false)
      return slot.name
    }
  }
}

/// The service supports no security key, because no person can touch one at each start.
package struct NoSecurityKeys: SecurityKeySealing {
  package init() {}

  package func look() throws(SecurityKeyFailure) -> SecurityKeyFacts { throw .noKey }

  package func make(
    excluding credentials: [[UInt8]],
    pin: SharedSecret?,
    _ wait: SecurityKeyWait,
    lit: @escaping @Sendable () -> Void
  ) throws(SecurityKeyFailure) -> SecurityKeySecret {
    throw .noKey
  }

  package func open(
    _ slots: [SecurityKeyParameters],
    pin: SharedSecret?,
    _ wait: SecurityKeyWait,
    lit: @escaping @Sendable () -> Void
  ) throws(SecurityKeyFailure) -> (index: Int, secret: SharedSecret) {
    throw .noKey
  }
}
