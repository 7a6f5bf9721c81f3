internal import JSON
internal import VaultInterface

// The output of the verbs of the device secret.
extension DeviceSecretVerbs {
  static func object(_ reply: DeviceSecretStatusReply) -> JSONObject {
    [
      "tier": .string(reply.tier.rawValue),
      "slots": .array(reply.slots.map { .object(object($0)) }),
      "open": .boolean(reply.open),
      "tpm": AccountText.optional(reply.tpm),
      "tpm_problem": AccountText.optional(reply.tpmProblem),
      "counter": AccountText.optional(reply.counter?.rawValue),
      "counter_problem": AccountText.optional(reply.counterProblem),
    ]
  }

  static func object(_ slot: VaultMachineSlot) -> JSONObject {
    [
      "id": .string(slot.id), "kind": AccountText.optional(slot.kind?.rawValue),
      "problem": AccountText.optional(slot.problem),
    ]
  }

  static func object(_ test: VaultSlotTest) -> JSONObject {
    [
      "slot": .object(object(test.slot)), "opens": test.opens.map { .boolean($0) } ?? .null,
      "detail": AccountText.optional(test.detail),
    ]
  }

  static func text(_ reply: DeviceSecretStatusReply, columns: Int?) -> String {
    var table = Table(headings: ["", ""])
    table.add("tier", weakest(reply.tier, reply.slots))
    if let remedy = remedy(reply) { table.add("", remedy) }
    if let tpm = reply.tpm { table.add("TPM", tpm) }
    if let problem = reply.tpmProblem { table.add("TPM", problem) }
    if reply.tier != .file {
      table.add("machine key", reply.open ? "open" : "not opened yet")
    }
    if let check = reply.counter { table.add("old copies", oldCopies(check)) }
    if let problem = reply.counterProblem { table.add("", problem) }
    if reply.tier == .tpm, reply.counter == CounterCheck.none {
      table.add("", "to add the counter: thumblatch device-secret add tpm")
    }
    guard !reply.slots.isEmpty else { return table.text(columns: columns) }
    var slots = Table(headings: ["slot", "opened by", "problem"])
    for slot in reply.slots { slots.add(slot.id, name(slot.kind), slot.problem ?? "-") }
    return table.text(columns: columns) + "\n\n" + slots.text(columns: columns)
  }

  /// The tier, and the weakest way to open the vault.
  static func weakest(_ tier: DeviceSecretTier, _ slots: [VaultMachineSlot]) -> String {
    switch tier {
    case .file: "file: a copy of the directory opens the vault"
    case .adding: "adding: a copy of the directory opens each vault that is not re-encrypted yet"
    case .tpm where slots.contains { $0.kind == .securityKey }:
      "tpm: the directory opens only with the TPM of this machine, a security key or the recovery code"
    case .tpm: "tpm: the directory opens only with the TPM of this machine or the recovery code"
    case .securityKey:
      "security_key: the directory opens only with a security key or the recovery code"
    }
  }

  /// Whether an old copy of the whole directory would be seen.
  static func oldCopies(_ check: CounterCheck) -> String {
    switch check {
    case .none: "cannot be detected: the directory has no TPM counter"
    case .current: "none: the directory matches the TPM's counter"
    case .unchecked: "no check is possible: a recovery code opened the machine key"
    case .refused: "refused: accept the vault with thumblatch recover"
    }
  }

  /// The warning that the TPM's counter does not guard the directory.
  static func warning(_ problem: String) -> String {
    "warning: the TPM's counter is not in use: \(problem). An old copy of the whole directory is not"
      + " detected: see thumblatch device-secret status"
  }

  private static func remedy(_ reply: DeviceSecretStatusReply) -> String? {
    switch reply.tier {
    case .file where reply.tpm != nil:
      "the TPM would prevent that: thumblatch device-secret add tpm"
    case .adding where !reply.slots.contains { $0.kind == .tpm }:
      "finish it: thumblatch device-secret add fido2"
    case .adding: "finish it: thumblatch device-secret add tpm"
    case .file, .tpm, .securityKey: nil
    }
  }

  static func text(_ reply: TestSlotsReply, columns: Int?) -> String {
    var table = Table(headings: ["slot", "opened by", "result"])
    for test in reply.tests {
      table.add(test.slot.id, name(test.slot.kind), result(test))
    }
    return table.text(columns: columns)
  }

  private static func result(_ test: VaultSlotTest) -> String {
    let detail = test.detail ?? "-"
    return switch test.opens {
    case true?: "opens"
    case false?: "does not open: \(detail)"
    // A slot of another kind was not tried.
    case nil: "\(test.slot.kind == .tpm ? "not known" : "not tried"): \(detail)"
    }
  }

  static func sentence(_ kind: SlotKind, _ reply: AddSlotReply) -> String {
    let (vaults, them) = reply.vaults == 1 ? ("1 vault", "it") : ("\(reply.vaults) vaults", "them")
    switch kind {
    case .tpm where reply.vaults > 0:
      return
        "Added the TPM and re-encrypted \(vaults). A copy of the directory no longer opens \(them)."
        + " Delete earlier copies, such as in system backups."
    case .tpm: return "added the TPM of this machine"
    case .securityKey where reply.vaults > 0:
      return
        "Added the security key and re-encrypted \(vaults). A copy of the directory no longer opens"
        + " \(them). Delete earlier copies, such as in system backups. Keep a second key or the code."
    case .securityKey: return "added the security key"
    case .recovery:
      return "Added a recovery code. To remove the old one, find its slot with device-secret"
        + " status, then: thumblatch device-secret remove SLOT"
    }
  }

  private static func name(_ kind: SlotKind?) -> String {
    switch kind {
    case .tpm: "TPM"
    case .recovery: "recovery code"
    case .securityKey: "security key"
    case nil: "unknown"
    }
  }
}
