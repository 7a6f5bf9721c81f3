import Varlink
import VaultInterface

@testable import Commands

// The slots of the machine key.
extension Situation {
  private static let tpmSlot = VaultMachineSlot(id: "a0a1a2a3a4a5a6a7", kind: .tpm)
  private static let codeSlot = VaultMachineSlot(id: "b0b1b2b3b4b5b6b7", kind: .recovery)
  private static let brokenSlot = VaultMachineSlot(id: "c0c1c2c3c4c5c6c7", problem: "it is damaged")
  private static let keySlot = VaultMachineSlot(id: "d0d1d2d3d4d5d6d7", kind: .securityKey)
  private static let code = "000G-40R4-0M30-E209-185G-R38E-1W81-24GK-B9"

  private static func status(_ what: String, _ reply: DeviceSecretStatusReply) -> Situation {
    Situation("device-secret status", what, DeviceSecretStatusCall.self, replies: reply)
  }

  private static func added(_ vaults: Int, _ problem: String? = nil) -> AddSlotReply {
    AddSlotReply(slots: [tpmSlot, codeSlot], vaults: vaults, counterProblem: problem)
  }

  private static func checked(_ check: CounterCheck, _ problem: String? = nil) -> Situation {
    status(
      "a machine key that is open: \(check.rawValue)",
      DeviceSecretStatusReply(
        tier: .tpm,
        slots: [tpmSlot, codeSlot],
        open: true,
        tpm: "IFX 7.85",
        counter: check,
        counterProblem: problem
      )
    )
  }

  private static let noRoom = "the TPM has no room for a counter"

  private static func typing(
    _ what: String,
    _ typed: [String],
    _ end: @escaping @Sendable (Stage) throws -> Void
  ) -> Situation {
    Situation("device-secret add tpm", what) { stage in
      _ = try stage.expect(AddSlotCall.self)
      try stage.reply(AddSlotReply(code: try secret(code), slots: [], vaults: 0))
      for (index, text) in typed.enumerated() {
        try stage.answer("code again", text)
        _ = try stage.expect(AddSlotCall.self)
        guard index + 1 < typed.count else { break }
        try stage.fail(.invalidArgument(message: "this is not the recovery code that was shown"))
      }
      try end(stage)
    }
  }

  static let slots: [Situation] = [
    status(
      "a file, and no TPM",
      DeviceSecretStatusReply(
        tier: .file,
        slots: [],
        open: false,
        tpmProblem: "this machine has no TPM (/dev/tpmrm0)"
      )
    ),
    status(
      "a file, and a TPM",
      DeviceSecretStatusReply(
        tier: .file,
        slots: [],
        open: false,
        tpm: "IFX 7.85"
      )
    ),
    status(
      "an addition that is not complete",
      DeviceSecretStatusReply(
        tier: .adding,
        slots: [tpmSlot, codeSlot],
        open: true,
        tpm: "IFX 7.85"
      )
    ),
    status(
      "slots of each kind",
      DeviceSecretStatusReply(
        tier: .tpm,
        slots: [tpmSlot, codeSlot, keySlot, brokenSlot],
        open: false,
        tpm: "IFX 7.85"
      )
    ),
    status(
      "a security key that opens the vault beside no TPM",
      DeviceSecretStatusReply(
        tier: .securityKey,
        slots: [keySlot, codeSlot],
        open: true,
        tpmProblem: "this machine has no TPM (/dev/tpmrm0)",
        counter: CounterCheck.none
      )
    ),
    status(
      "an addition of a security key that is not complete",
      DeviceSecretStatusReply(tier: .adding, slots: [keySlot, codeSlot], open: true)
    ),
    checked(.current),
    checked(.none, noRoom),
    checked(.unchecked),
    checked(.refused, "the TPM's counter was removed or replaced: the vault may be an old copy"),
    typing("the code is typed back", [code]) { try $0.reply(added(1)) },
    typing("the TPM takes no counter", [code]) { try $0.reply(added(1, noRoom)) },
    typing("the code is mistyped first", ["0", code]) { try $0.reply(added(2)) },
    Situation("device-secret add tpm", "the code is right, and the vault refuses") { stage in
      _ = try stage.expect(AddSlotCall.self)
      try stage.reply(AddSlotReply(code: try secret(code), slots: [], vaults: 0))
      try stage.answer("code again", code.lowercased())
      _ = try stage.expect(AddSlotCall.self)
      try stage.fail(.invalidArgument(message: "the engine may not open the TPM (/dev/tpmrm0)"))
    },
    Situation("device-secret add tpm", "there is no terminal") { stage in
      _ = try stage.expect(AddSlotCall.self)
      try stage.reply(AddSlotReply(code: try secret(code), slots: [], vaults: 0))
      try stage.expectEnd()
    }.withoutTerminal,
    Situation(
      "device-secret add tpm",
      "a recovery code exists",
      AddSlotCall.self,
      replies: added(0)
    ),
    Situation(
      "device-secret add tpm --recovery-to 9",
      "a recovery code exists",
      AddSlotCall.self,
      replies: added(0)
    ),
    Situation(
      "device-secret add tpm --recovery-to 9",
      "another slot exists",
      AddSlotCall.self,
      fails: .refused(message: "the machine key has a slot of this TPM already (tpm-1)")
    ),
    Situation("device-secret add recovery", "a further code", AddSlotCall.self, replies: added(0)),
    Situation(
      "device-secret add recovery",
      "no machine key",
      AddSlotCall.self,
      fails: .invalidArgument(
        message: "the device secret is in a file: add the TPM first"
          + " (thumblatch device-secret add tpm)"
      )
    ),
    Situation("device-secret add smartcard", "another kind"),
    Situation("device-secret add tpm --recovery-to 1", "standard output"),
    Situation("device-secret add tpm --recovery-to 999", "a closed descriptor") { stage in
      _ = try stage.expect(AddSlotCall.self)
      try stage.reply(AddSlotReply(code: try secret(code), slots: [], vaults: 0))
      try stage.expectEnd()
    },
    Situation(
      "device-secret remove b0b1b2b3b4b5b6b7",
      "it is removed",
      RemoveSlotCall.self,
      replies: RemoveSlotReply(slots: [tpmSlot])
    ),
    Situation(
      "device-secret test",
      "each slot opens",
      TestSlotsCall.self,
      replies: TestSlotsReply(tests: [
        VaultSlotTest(slot: tpmSlot, opens: true),
        VaultSlotTest(slot: codeSlot, detail: "add --code to test it"),
      ])
    ),
    Situation(
      "device-secret test",
      "a slot does not open",
      TestSlotsCall.self,
      replies: TestSlotsReply(tests: [
        VaultSlotTest(slot: tpmSlot, opens: false, detail: "this is not the TPM of the slot"),
        VaultSlotTest(slot: codeSlot, detail: "add --code to test it"),
        VaultSlotTest(slot: keySlot, detail: "it needs a touch"),
      ])
    ),
    Situation(
      "device-secret test",
      "the TPM is busy",
      TestSlotsCall.self,
      replies: TestSlotsReply(tests: [
        VaultSlotTest(slot: tpmSlot, detail: "the TPM is busy: try again")
      ])
    ),
    Situation("recover --code", "a new slot of the TPM") { stage in
      try stage.answer("Recovery code", code)
      _ = try stage.expect(RecoverWithCodeCall.self)
      try stage.reply(
        RecoverWithCodeReply(added: "a0a1a2a3a4a5a6a7", removed: ["e0e1e2e3e4e5e6e7"])
      )
    },
    Situation(
      "recover --code-stdin",
      "a TPM without a counter",
      RecoverWithCodeCall.self,
      replies: RecoverWithCodeReply(
        added: "a0a1a2a3a4a5a6a7",
        removed: [],
        counterProblem: noRoom
      )
    ).with { $0.input = code },
    Situation(
      "recover --code-stdin",
      "no TPM",
      RecoverWithCodeCall.self,
      replies: RecoverWithCodeReply(removed: [], problem: "this machine has no TPM (/dev/tpmrm0)")
    ).with { $0.input = code },
    Situation(
      "recover --code-stdin",
      "no TPM, and a security key",
      RecoverWithCodeCall.self,
      replies: RecoverWithCodeReply(
        removed: [],
        problem: "only security keys have slots;"
          + " to replace a lost one: thumblatch device-secret add fido2"
      )
    ).with { $0.input = code },
    Situation("recover --code", "there is no terminal").withoutTerminal,
    Situation(
      "recover --code-stdin",
      "a mistyped code",
      RecoverWithCodeCall.self,
      fails: .invalidArgument(
        message: "the recovery code is mistyped: its two check characters do not match"
      )
    ).with { $0.input = code },
  ]
}
