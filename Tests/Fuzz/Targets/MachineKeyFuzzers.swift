internal import MachineKey
internal import SecretMemory

extension Fuzzer {
  /// The secret of the corpus's slots, without which a fuzzer would never get past the tag.
  private static func slotSecret() throws -> SecretBytes {
    try SecretBytes(copying: Array(1...UInt8(MachineKeySlot.secretCount)))
  }

  /// A slot of the machine key as it may be on the disk, with the parameters of a TPM's slot.
  static let machineKeySlots = Fuzzer(
    "machine-key-slots",
    maximum: MachineKeySlot.maximumCount
  ) { input in
    let bytes = input.bytes()
    let slot = try MachineKeySlot(parsing: bytes)
    demand(slot.encoded == bytes, "a slot has two encodings")
    if slot.header.kind == .tpm,
      let sealed = try? TPMSealedSecret(parameters: slot.header.parameters)
    {
      let again = try? sealed.parameters
      demand(again == slot.header.parameters, "the parameters of a TPM have two encodings")
      _ = try slot.header.authorization()
    }
    _ = try slot.open(with: slotSecret())
  }

  /// The state of the machine key's directory.
  static let machineKeyStates = Fuzzer(
    "machine-key-states",
    maximum: MachineKeyState.count
  ) { input in
    let bytes = input.bytes()
    let state = try MachineKeyState(parsing: bytes)
    demand(state.encoded == bytes, "a state has two encodings")
    _ = try state.isAuthentic(under: MachineKey(slotSecret()))
  }

  /// The ledger of the TPM's counter.
  static let counterLedgers = Fuzzer("counter-ledgers", maximum: 4096) { input in
    let bytes = input.bytes()
    let ledger = try CounterLedger(parsing: bytes)
    demand(ledger.encoded == bytes, "a ledger has two encodings")
    for (vault, count) in ledger.vaults {
      demand(ledger.judgement(of: vault, count: count) == .current, "a listed vault is old")
    }
    _ = try ledger.isAuthentic(under: MachineKey(slotSecret()))
  }
}
