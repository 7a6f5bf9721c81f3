internal import Cryptography
internal import MachineKey
internal import SecretMemory
internal import Storage

// Making slots, and opening them with a recovery code.
extension MachineKeySlots {
  /// A slot that is not in the directory yet.
  struct SealedSlot {
    let slot: MachineKeySlot

    var file: MachineKeyDirectory.Slot {
      MachineKeyDirectory.Slot(identifier: slot.header.identifier, bytes: slot.encoded)
    }

    var name: String { slot.name }
  }

  /// The results of trying slots with the TPM.
  struct TriedSlots {
    /// The slot that it opens; later slots are not tried.
    var opens: MachineKeySlot?
    /// The slots that can no longer be used on this machine.
    var dead: [MachineKeySlot] = []
    /// The slots that it does not open for another reason.
    var unclear: [MachineKeySlot] = []
    /// Why it did not answer at the moment; `nil` if it did.
    var momentary: TPMFailure?
  }

  /// Tries slots until the TPM opens one.
  func triedByTPM(_ slots: [MachineKeySlot]) throws(VaultFailure) -> TriedSlots {
    var tried = TriedSlots()
    for slot in slots where slot.header.kind == .tpm && tried.opens == nil {
      switch try openByTPM(slot) {
      case .success: tried.opens = slot
      case .failure(let failure):
        if failure.isMomentary { tried.momentary = failure }
        if failure.isOfTheSlot { tried.dead.append(slot) } else { tried.unclear.append(slot) }
      }
    }
    return tried
  }

  func fresh() throws(VaultFailure) -> (MachineKey, directory: [UInt8]) {
    do throws(CryptographyError) {
      return (try MachineKey.random(), try randomBytes(MachineKeyState.directoryCount))
    } catch {
      throw .unexpected("no machine key can be made: \(error)")
    }
  }

  func sealed(
    _ key: MachineKey,
    in identifier: [UInt8]
  ) throws(VaultFailure) -> SealedSlot {
    let owner = owner
    var header = try usable { () throws(MachineKeyError) in
      try MachineKeySlot.Header(.tpm, directory: identifier, owner: owner)
    }
    let plain = header
    let authorization = try usable { () throws(MachineKeyError) in try plain.authorization() }
    let secret: SharedSecret
    let bytes: TPMSealedSecret
    do {
      secret = SharedSecret(try SecretBytes.random(count: MachineKeySlot.secretCount))
      bytes = try tpm.seal(secret, authorization: authorization)
    } catch let failure as TPMFailure {
      noteDenied([failure])
      throw .slotNotSealed(failure)
    } catch {
      throw .unexpected("no slot can be made: \(error)")
    }
    header.parameters = try usable { () throws(MachineKeyError) in try bytes.parameters }
    let whole = header
    let slot = try usable { () throws(MachineKeyError) in
      try MachineKeySlot(whole, sealing: key, under: secret.bytes)
    }
    // Vaults must not rely on a slot that does not open.
    if case .failure(let failure) = try openByTPM(slot) { throw .slotNotSealed(failure) }
    return SealedSlot(slot: slot)
  }

  func sealed(
    _ key: MachineKey,
    in identifier: [UInt8],
    by code: RecoveryCode
  ) throws(VaultFailure) -> SealedSlot {
    let secret = try secret(of: code)
    let owner = owner
    return SealedSlot(
      slot: try usable { () throws(MachineKeyError) in
        let header = try MachineKeySlot.Header(.recovery, directory: identifier, owner: owner)
        return try MachineKeySlot(header, sealing: key, under: secret.bytes)
      }
    )
  }

  func secret(of code: RecoveryCode) throws(VaultFailure) -> SharedSecret {
    do throws(RecoveryCode.Flaw) { return try code.secret() } catch { throw VaultFailure(error) }
  }

  /// The machine key that a code opens; `nil` if it opens no slot.
  func opened(
    by code: RecoveryCode,
    _ slots: [MachineKeySlot]
  ) throws(VaultFailure) -> MachineKey? {
    let secret = try secret(of: code)
    for slot in slots where slot.header.kind == .recovery {
      do throws(MachineKeyError) {
        return try slot.open(with: secret.bytes)
      } catch {
        guard error == .doesNotOpen else { throw .machineKeyDamaged("\(error)") }
      }
    }
    return nil
  }
}

extension MachineKeySlot {
  /// The identifier, as commands name it.
  var name: String { Hexadecimal.text(header.identifier) }
}
