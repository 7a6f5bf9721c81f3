import MachineKey
import SecretMemory
import System
import TPM
import TestSupport
import Testing

/// Sealing and opening with a real TPM's commands, through the device of the library.
struct SealingTests {
  private let bench: Bench

  init() throws { bench = try Bench() }

  @Test
  func theTPMSaysItsMakerAndFirmware() throws {
    let facts = try bench.tpm.facts()
    #expect(facts.maker == "IBM" && facts.firmware.split(separator: ".").count == 4, "\(facts)")
  }

  @Test
  func whatWasSealedOpensAndLeavesNothingLoaded() throws {
    let sealed = try bench.seal()
    #expect(try bench.chip.command("left") == "nothing")
    #expect(sealed.parentName.count == 34)
    #expect(sealed.privatePart.count == 160 && sealed.publicPart.count == 80)
    #expect(try bench.opens(sealed))
    #expect(try bench.chip.command("left") == "nothing")
    // After SIGKILL of the TPM and its new start, as after a power failure.
    try bench.chip.command("reset")
    #expect(try bench.opens(sealed))
  }

  /// A firmware update changes PCR 0, and one of the keys of Secure Boot PCR 7.
  ///
  /// No PCR is in the policy, so the secret opens and the counter can be incremented.
  @Test
  func afterAFirmwareUpdateItOpens() throws {
    let sealed = try bench.seal()
    let counter = try bench.defineCounter()
    let digest = String(repeating: "5a", count: 32)
    try bench.chip.run("tpm2_pcrextend", "0:sha256=\(digest)", "7:sha256=\(digest)")
    #expect(try bench.opens(sealed))
    let next = try bench.tpm.incrementCounter(counter.index, authorization: bench.authorization)
    #expect(next.value == counter.value + 1)
    #expect(try bench.opens(bench.seal()))
  }

  @Test
  func aClearedTPMIsAnother() throws {
    let sealed = try bench.seal()
    try bench.chip.run("tpm2_clear")
    #expect(try bench.failure(toOpen: sealed) == .anotherTPM)
  }

  @Test
  func anotherChipIsAnother() throws {
    let sealed = try bench.seal()
    let other = try Bench()
    #expect(try other.failure(toOpen: sealed) == .anotherTPM)
    // Only the key was requested.
    #expect(try !other.commands().contains(Bench.Command.startSession.number))
  }

  @Test
  func anotherAuthorizationOpensNothing() throws {
    let sealed = try bench.seal()
    let other = try Bench.random()
    let failure = try bench.failure { () throws(TPMFailure) in
      try bench.tpm.open(sealed, authorization: other)
    }
    #expect(failure == .wrongAuthorization)
    #expect(try bench.opens(sealed))
  }

  @Test(arguments: TPMSealedSecret.Part.allCases)
  func noByteMayBeChanged(_ part: TPMSealedSecret.Part) throws {
    let sealed = try bench.seal()
    for index in 0..<sealed.count(of: part) {
      let failure = try bench.failure(toOpen: sealed.changed(part, at: index))
      #expect(failure == (part == .parentName ? .anotherTPM : .damaged), "\(index)")
    }
  }

  @Test
  func partsOfAnySizeAreDamaged() throws {
    let sealed = try bench.seal()
    for count in [0, 1, 2, 3, 79, 81, 200, 4096] {
      let bytes = Array((sealed.publicPart + [UInt8](repeating: 0, count: 4096)).prefix(count))
      for (privatePart, publicPart) in [(sealed.privatePart, bytes), (bytes, sealed.publicPart)] {
        let other = TPMSealedSecret(
          parentName: sealed.parentName,
          privatePart: privatePart,
          publicPart: publicPart
        )
        #expect(try bench.failure(toOpen: other) == .damaged, "\(count)")
      }
    }
  }

  @Test
  func othersLockTheTPMAndTheSecretOpens() throws {
    let sealed = try bench.seal()
    try bench.chip.run(
      "tpm2_dictionarylockout",
      "--setup-parameters",
      "--max-tries=1",
      "--recovery-time=1000",
      "--lockout-recovery-time=1000"
    )
    // An index that is not exempt from the lockout, and a wrong answer for it.
    try bench.chip.run(
      "tpm2_nvdefine",
      "0x01900000",
      "--size=8",
      "--attributes=authread|ownerwrite",
      "--index-auth=right"
    )
    for password in ["wrong", "right"] {
      let end = try bench.chip.end(of: "tpm2_nvread", ["0x01900000", "--auth=\(password)"])
      #expect(end != .exited(0))
    }
    #expect(try bench.opens(sealed))
    let counter = try bench.defineCounter()
    _ = try bench.tpm.incrementCounter(counter.index, authorization: bench.authorization)
    // If a TPM refuses it after all.
    try bench.chip.command("fail 921 1 \(Bench.Command.unseal.rawValue)")
    #expect(try bench.failure(toOpen: sealed) == .lockedOut)
  }

  @Test
  func aRefusedPolicyIsADamagedSlot() throws {
    let sealed = try bench.seal()
    try bench.chip.command("fail 99d 1 \(Bench.Command.unseal.rawValue)")
    #expect(try bench.failure(toOpen: sealed) == .damaged)
    #expect(try bench.opens(sealed))
  }

  @Test(arguments: ["902", "903", "905", "920", "922", "923"])
  func aTPMThatIsBusyIsToBeTriedLater(_ code: String) throws {
    let sealed = try bench.seal()
    try bench.chip.command("fail \(code) ff")
    #expect(try bench.failure(toOpen: sealed) == .busy)
    // The library itself asks again a few times.
    try bench.chip.command("fail 922 2 \(Bench.Command.load.rawValue)")
    #expect(try bench.opens(sealed))
  }

  @Test(arguments: [
    Bench.Command.createPrimary, .load, .startSession, .policyAuthValue, .unseal,
  ])
  func anErrorOfAnyStepLeavesNothingLoaded(_ command: Bench.Command) throws {
    let sealed = try bench.seal()
    // TPM_RC_FAILURE.
    try bench.chip.command("fail 101 1 \(command.rawValue)")
    #expect(try bench.failure(toOpen: sealed) == .unexpected("0x00000101"))
    #expect(try bench.opens(sealed))
  }
}
