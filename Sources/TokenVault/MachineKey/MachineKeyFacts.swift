package import MachineKey

/// The machine key, as `device-secret status` shows it.
package struct MachineKeyFacts: Sendable, Equatable {
  /// The weakest way to open the vaults.
  package enum Tier: String, Sendable {
    /// A copy of the directory opens the vault.
    case file
    /// The machine key is being added: some vaults still open with only their file.
    case adding
    /// A vault needs this machine's TPM or the recovery code.
    case tpm
    /// A vault needs a security key or the recovery code.
    case securityKey = "security_key"
  }

  package let tier: Tier
  package let slots: [SlotFacts]
  /// Whether the machine key was opened in this run of the engine.
  package let isOpen: Bool
  /// The result of the comparison with the TPM's counter; `nil` if the machine key is not open.
  package let counter: CounterComparison?
  /// Why there is no counter or no comparison, or what is wrong; `nil` if that is not known.
  package let counterProblem: String?

  /// The ways to open the machine key by the slots that can be read, without duplicates.
  var ways: [String] {
    let kinds = Set(slots.compactMap(\.kind))
    return [MachineKeySlot.Kind.tpm, .securityKey, .recovery].filter(kinds.contains).map { kind in
      switch kind {
      case .tpm: "the TPM of this machine"
      case .securityKey: "a security key"
      case .recovery: "the recovery code"
      }
    }
  }
}

/// The result of the comparison with the TPM's counter.
package enum CounterComparison: Sendable {
  /// There is no counter.
  case none
  /// The directory is the latest version.
  case current
  /// No check is possible, because a recovery code opened the machine key.
  case unchecked
  /// The directory is an old copy, or may be one.
  case refused
}

/// One slot of the machine key.
package struct SlotFacts: Sendable, Equatable {
  /// The identifier in hexadecimal digits, as commands name it.
  package let identifier: String
  /// `nil` if it cannot be read.
  package let kind: MachineKeySlot.Kind?
  /// Why it cannot be read; `nil` if it can.
  package let problem: String?
}

/// The result of a test of one slot.
package struct SlotTest: Sendable, Equatable {
  package let slot: SlotFacts
  /// Whether it opens; `nil` if it was not tried.
  package let opens: Bool?
  /// Why it does not open, or was not tried.
  package let detail: String?
}

/// The result of a recovery by code.
package struct RecoveredKey: Sendable, Equatable {
  /// The new slot of the TPM; `nil` if none was made.
  package let added: String?
  /// The slots that this TPM no longer opened, and that were removed.
  package let removed: [String]
  /// Why the TPM opens no slot; `nil` if one opens.
  package let problem: String?
}
