import PresenceTerms
import Varlink
import VaultInterface

@testable import Commands

// Security keys that get a slot of the machine key, or open the vault.
extension Situation {
  private static let slot = VaultMachineSlot(id: "d0d1d2d3d4d5d6d7", kind: .securityKey)
  private static let code = "000G-40R4-0M30-E209-185G-R38E-1W81-24GK-B9"
  private static let needed = VaultError.machineKeyNeeded(
    message: "the vault needs a touch of its security key"
  )

  private static func pin(_ message: String, _ retries: Int?) -> VaultError {
    .keyPINNeeded(message: message, retries: retries)
  }

  private static func touches(_ stage: Stage, _ count: Int, vaults: Int) throws {
    for _ in 0..<count {
      try stage.reply(AddSlotReply(slots: [], vaults: 0, touch: true), continues: true)
    }
    try stage.reply(AddSlotReply(slots: [slot], vaults: vaults))
  }

  static let keySlots: [Situation] = [
    Situation("device-secret add fido2", "the first one") { stage in
      _ = try stage.call(AddSlotCall.self)
      try stage.reply(AddSlotReply(code: try secret(code), slots: [], vaults: 0))
      try stage.answer("code again", code)
      _ = try stage.call(AddSlotCall.self)
      try touches(stage, 2, vaults: 1)
    },
    Situation("device-secret add fido2", "a further one, with a PIN") { stage in
      _ = try stage.call(AddSlotCall.self)
      try stage.fail(pin("the security key wants its PIN", 8))
      try stage.answer("PIN of the security key (8 tries left): ", "0000")
      _ = try stage.call(AddSlotCall.self)
      try stage.fail(pin("wrong PIN of the security key", 1))
      try stage.answer("Wrong PIN. PIN of the security key (1 try left): ", "8261")
      _ = try stage.call(AddSlotCall.self)
      try touches(stage, 2, vaults: 0)
    },
    Situation("device-secret add fido2", "a PIN, and no terminal") { stage in
      _ = try stage.call(AddSlotCall.self)
      try stage.fail(pin("the security key wants its PIN", 8))
      try stage.expectEnd()
    }.withoutTerminal,
    Situation("account list", "a touch opens the vault") { stage in
      _ = try stage.call(GetAccountCall.self)
      try stage.fail(needed)
      _ = try stage.call(OpenMachineKeyCall.self)
      try stage.fail(pin("the security key wants its PIN", nil))
      try stage.answer("PIN of the security key: ", "8261")
      _ = try stage.call(OpenMachineKeyCall.self)
      try stage.reply(OpenMachineKeyReply(event: .waiting), continues: true)
      try stage.reply(OpenMachineKeyReply(event: .done))
      _ = try stage.call(GetAccountCall.self)
      try stage.reply(GetAccountReply())
    },
    Situation("account list", "the key is not touched") { stage in
      _ = try stage.call(GetAccountCall.self)
      try stage.fail(needed)
      _ = try stage.call(OpenMachineKeyCall.self)
      try stage.reply(OpenMachineKeyReply(event: .waiting), continues: true)
      try stage.fail(
        .presenceFailed(
          .timedOut,
          message: "the security key was not touched in time",
          methods: []
        )
      )
    },
    Situation(
      "account list",
      "a touch is needed, and there is no terminal",
      GetAccountCall.self,
      fails: needed
    ).withoutTerminal,
  ]
}
