import Glibc
import SecretMemory
import System
import TestSupport
import Testing
import VaultInterface

@testable import Commands

struct DeviceSecretVerbTests {
  private static let code = "000G-40R4-0M30-E209-185G-R38E-1W81-24GK-B9"
  private static let slot = VaultMachineSlot(id: "a0a1a2a3a4a5a6a7", kind: .tpm)

  private static func secret(_ text: String) throws -> SharedSecret {
    SharedSecret(try SecretBytes(copying: Array(text.utf8)))
  }

  private static func text(_ secret: SharedSecret?) -> String? {
    secret.map { secret in
      unsafe secret.bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }

  @Test(arguments: [[], ["--json"]])
  func aCodeIsShownOnceOnTheTerminalAndTypedBackUnseen(_ words: [String]) throws {
    let play = try Play.run(["device-secret", "add", "tpm"] + words) { stage in
      let first = try stage.expect(AddSlotCall.self)
      #expect(first.kind == .tpm && first.recovery == nil)
      try stage.reply(AddSlotReply(code: try Self.secret(Self.code), slots: [], vaults: 0))
      try stage.terminal.waitFor(Self.code)
      try stage.answer("code again", Self.code.lowercased())
      let second = try stage.expect(AddSlotCall.self)
      #expect(Self.text(second.recovery) == Self.code.lowercased())
      try stage.reply(AddSlotReply(slots: [Self.slot], vaults: 3))
    }
    #expect(play.code == .done && play.echoes)
    #expect(play.screen.ranges(of: Self.code).count == 1)
    #expect(!play.screen.contains(Self.code.lowercased()))
    #expect(!play.out.contains(Self.code) && !play.talk.contains(Self.code))
    if words.isEmpty {
      #expect(play.talk.contains("3 vaults"))
    } else {
      #expect(play.out.contains(#""vaults":3"#))
    }
  }

  @Test
  func aCodeForAnAdministratorGoesToTheDescriptorOnly() throws {
    var ends: [Int32] = [-1, -1]
    #expect(unsafe pipe(&ends) == 0)
    let reading = Descriptor(owning: ends[0])
    let writing = Descriptor(owning: ends[1])
    let number = "\(writing.number)"
    let play = try Play.run(["device-secret", "add", "tpm", "--recovery-to", number]) { stage in
      _ = try stage.expect(AddSlotCall.self)
      try stage.reply(AddSlotReply(code: try Self.secret(Self.code), slots: [], vaults: 0))
      let second = try stage.expect(AddSlotCall.self)
      #expect(Self.text(second.recovery) == Self.code)
      try stage.reply(AddSlotReply(slots: [Self.slot], vaults: 1))
    }
    #expect(play.code == .done)
    #expect(try reading.read(atMost: 100) == Array((Self.code + "\n").utf8))
    for shown in [play.out, play.talk, play.screen] { #expect(!shown.contains(Self.code)) }
  }

  @Test
  func aCodeThatCannotBeWrittenOrShownChangesNothing() throws {
    var ends: [Int32] = [-1, -1]
    #expect(unsafe pipe(&ends) == 0)
    close(ends[0])
    // A pipe whose reader has ended.
    let unread = Descriptor(owning: ends[1])
    for (words, code) in [
      (["--recovery-to", "999"], ExitCode.usage), (["--recovery-to", "\(unread.number)"], .usage),
      ([], .promptNeeded),
    ] {
      let play = try Play.run(["device-secret", "add", "tpm"] + words, terminal: false) { stage in
        _ = try stage.expect(AddSlotCall.self)
        try stage.reply(AddSlotReply(code: try Self.secret(Self.code), slots: [], vaults: 0))
        try stage.expectEnd()
      }
      #expect(play.code == code)
      #expect(!play.out.contains(Self.code) && !play.talk.contains(Self.code))
    }
  }

  @Test
  func onlyAMistypedCodeIsAskedForAgain() throws {
    let play = try Play.run(["device-secret", "add", "tpm"]) { stage in
      _ = try stage.expect(AddSlotCall.self)
      try stage.reply(AddSlotReply(code: try Self.secret(Self.code), slots: [], vaults: 0))
      try stage.answer("code again", "0000")
      _ = try stage.expect(AddSlotCall.self)
      try stage.fail(.invalidArgument(message: "a recovery code has 34 letters and digits"))
      try stage.answer("code again", Self.code)
      _ = try stage.expect(AddSlotCall.self)
      try stage.fail(.vaultUnsafe(message: "the vault of user 7 does not open", hint: "repair it"))
      try stage.expectEnd()
    }
    #expect(play.code == .unsafeVault)
    #expect(play.talk.contains("repair it"))
  }

  @Test
  func aSlotThatDoesNotOpenIsExitSix() throws {
    let play = try Play.run(["device-secret", "test", "--json"]) { stage in
      #expect(try stage.expect(TestSlotsCall.self).code == nil)
      try stage.reply(
        TestSlotsReply(tests: [VaultSlotTest(slot: Self.slot, opens: false, detail: "no TPM")])
      )
    }
    #expect(play.code == .unsafeVault)
    #expect(play.out.contains(#""opens":false"#))
  }

  @Test
  func everySlotIsListedBesideOneThatDoesNotOpen() throws {
    let other = VaultMachineSlot(id: "b0b1b2b3b4b5b6b7", kind: .securityKey)
    for opens in [false, nil] {
      let play = try Play.run(["device-secret", "test"]) { stage in
        _ = try stage.expect(TestSlotsCall.self)
        try stage.reply(
          TestSlotsReply(tests: [
            VaultSlotTest(slot: Self.slot, opens: opens, detail: "no TPM"),
            VaultSlotTest(slot: other, detail: "it needs a touch"),
          ])
        )
      }
      #expect(play.code == (opens == false ? .unsafeVault : .unavailable))
      #expect(play.out.contains(opens == false ? "does not open: no TPM" : "not known: no TPM"))
      #expect(play.out.contains("not tried: it needs a touch"))
    }
  }

  @Test
  func aRecoveryByCodeAcceptsNothing() throws {
    let words = ["recover", "--code-stdin", "--json"]
    let play = try Play.run(words, input: Array((Self.code + "\n").utf8)) { stage in
      let call = try stage.expect(RecoverWithCodeCall.self)
      #expect(Self.text(call.code) == Self.code)
      try stage.reply(RecoverWithCodeReply(added: "a0", removed: ["b0"], problem: nil))
    }
    #expect(
      play.out == #"{"added":"a0","removed":["b0"],"problem":null,"counter_problem":null}"# + "\n"
    )
  }

  @Test
  func aRecoveryByCodeNamesTheSlotsThatItRemoved() throws {
    let input = Array((Self.code + "\n").utf8)
    let play = try Play.run(["recover", "--code-stdin"], input: input) { stage in
      _ = try stage.expect(RecoverWithCodeCall.self)
      try stage.reply(RecoverWithCodeReply(added: "a0", removed: ["b0", "c0"], problem: nil))
    }
    #expect(play.talk.contains("(slot a0)") && play.talk.contains("were removed: b0, c0"))
  }

  @Test
  func theTierIsNamed() throws {
    for tier in DeviceSecretTier.allCases {
      let play = try Play.run(["device-secret", "status"]) { stage in
        _ = try stage.expect(DeviceSecretStatusCall.self)
        try stage.reply(DeviceSecretStatusReply(tier: tier, slots: [Self.slot], open: false))
      }
      #expect(play.out.contains(DeviceSecretVerbs.weakest(tier, [Self.slot])))
    }
  }
}
