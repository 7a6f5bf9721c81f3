internal import MachineKey
internal import TokenVault
internal import VaultInterface

// Translates the slots of the machine key to the types of the interface.

extension DeviceSecretTier {
  init(_ tier: MachineKeyFacts.Tier) {
    switch tier {
    case .file: self = .file
    case .adding: self = .adding
    case .tpm: self = .tpm
    case .securityKey: self = .securityKey
    }
  }
}

extension CounterCheck {
  init(_ check: CounterComparison) {
    switch check {
    case .none: self = .none
    case .current: self = .current
    case .unchecked: self = .unchecked
    case .refused: self = .refused
    }
  }
}

extension SlotKind {
  init(_ kind: MachineKeySlot.Kind) {
    switch kind {
    case .tpm: self = .tpm
    case .recovery: self = .recovery
    case .securityKey: self = .securityKey
    }
  }
}

extension SlotKind {
  /// The word that the command line uses.
  var word: String { self == .securityKey ? "fido2" : rawValue }
}

extension MachineKeySlot.Kind {
  /// The kind of a slot that is added.
  init(_ kind: SlotKind) {
    switch kind {
    case .tpm: self = .tpm
    case .recovery: self = .recovery
    case .securityKey: self = .securityKey
    }
  }
}

extension VaultMachineSlot {
  init(_ facts: SlotFacts) {
    self.init(
      id: facts.identifier,
      kind: facts.kind.map(SlotKind.init),
      problem: facts.problem
    )
  }
}

extension VaultSlotTest {
  init(_ test: SlotTest) {
    self.init(slot: VaultMachineSlot(test.slot), opens: test.opens, detail: test.detail)
  }
}
