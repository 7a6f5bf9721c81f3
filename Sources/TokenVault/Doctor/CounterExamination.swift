internal import MachineKey

extension Vault {
  /// Examines if the TPM detects an old copy of the whole directory.
  func examineMachineCounter(_ found: inout Findings) throws(VaultFailure) {
    guard isUnderMachineKey, let slots = machineKeySlots else { return }
    guard case .some(.none) = slots.counterCheck,
      try slots.facts(of: owner).slots.contains(where: { $0.kind == .tpm })
    else { return }
    let reason = slots.unusedCounter.map { ": \($0)" } ?? ""
    found.warning(
      "the TPM has no rollback counter against old copies of the directory\(reason)",
      remedy: "make room in the TPM if it is full, then (in the service as root):"
        + " thumblatch device-secret add tpm"
    )
  }
}
