internal import GTK
internal import PlainText
internal import VaultInterface

/// How the device secret is kept, in words that are safe to show.
struct SecretWords {
  let status: DeviceSecretStatusReply

  /// The weakest way to open the vault.
  var kept: String {
    switch status.tier {
    case .file: tr("In a file. A copy of the vault's directory opens the vault.")
    case .adding:
      tr(
        "The machine key is being added. A copy of the vault's directory may still open the vault."
      )
    case .tpm where has(.securityKey):
      tr(
        "The directory opens only with the TPM of this computer, a security key or the recovery code."
      )
    case .tpm: tr("The directory opens only with the TPM of this computer or the recovery code.")
    case .securityKey: tr("The directory opens only with a security key or the recovery code.")
    }
  }

  /// The TPM, or why it cannot be used; `nil` if the vault does not tell.
  var tpm: String? {
    let name = status.tpm.map { PlainText.line($0, limit: 300) }
    let facts = [name, status.tpmProblem.map { Trouble(english: $0).text }].compactMap(\.self)
    return facts.isEmpty ? nil : facts.joined(separator: "\n")
  }

  /// Whether an old copy of the whole directory is detected; `nil` if the
  /// vault tells of no counter.
  var copies: String? {
    let check: String? =
      switch status.counter {
      case .some(.none): tr("Cannot be detected: the directory has no TPM counter.")
      case .current:
        tr("The counter of the TPM detects old copies. This directory matches the counter.")
      case .unchecked: tr("Not checked: a recovery code opened the machine key.")
      case .refused:
        tr("This may be one. To accept it, open Health.")
      case nil: nil
      }
    let problem = status.counterProblem.map {
      ErrorWords.clause(PlainText.line($0, limit: 300))
    }
    let texts = [check, problem].compactMap(\.self)
    return texts.isEmpty ? nil : texts.joined(separator: " ")
  }

  /// Whether a slot of the TPM is there to be added.
  var canAddTPM: Bool {
    status.tpm != nil && (!has(.tpm) || status.tier == .adding || status.counter == .some(.none))
  }

  /// Whether a slot of a security key can be added.
  var canAddKey: Bool { !has(.securityKey) || status.tier == .adding }

  /// Whether there is a recovery code, and what it needs.
  var code: String {
    let count = status.slots.count { $0.kind == .recovery }
    guard count == 0 else {
      return ntr(
        "There is one. It opens the vault if nothing else does.",
        "There are %d. Each opens the vault: remove those that you do not need.",
        count
      )
    }
    guard status.tier == .file else { return tr("There is none.") }
    return status.tpm != nil
      ? tr("There is none yet. It is made when the TPM or a security key is added.")
      : tr("There is none yet. It is made when a security key is added.")
  }

  /// Whether a further code can be made.
  var canMakeCode: Bool { status.tier == .tpm || status.tier == .securityKey }

  private func has(_ kind: SlotKind) -> Bool { status.slots.contains { $0.kind == kind } }
}

extension VaultMachineSlot {
  /// What opens it.
  var title: String {
    switch kind {
    case .tpm: tr("TPM of this computer")
    case .recovery: tr("Recovery code")
    case .securityKey: tr("Security key")
    case nil: tr("Unknown")
    }
  }

  /// Its name in commands, and why it cannot be read.
  var facts: String {
    [id, problem.map(ErrorWords.clause)].compactMap(\.self)
      .map { PlainText.line($0, limit: 300) }.joined(separator: ": ")
  }
}
