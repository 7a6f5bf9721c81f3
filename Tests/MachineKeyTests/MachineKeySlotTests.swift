import Cryptography
import MachineKey
import SecretMemory
import Testing

@Suite
struct MachineKeySlotTests {
  private func open(_ bytes: [UInt8], _ secret: [UInt8]) throws -> MachineKey {
    try MachineKeySlot(parsing: bytes).open(with: SecretBytes(copying: secret))
  }

  @Test
  func slotsOfAnotherImplementationOpen() throws {
    let recovery = try MachineKeySlot(parsing: Samples.recoverySlot)
    #expect(recovery.header.kind == .recovery)
    #expect(recovery.header.owner == .user(1000))
    #expect(recovery.header.directory == Samples.directory)
    #expect(recovery.encoded == Samples.recoverySlot)
    let tpm = try MachineKeySlot(parsing: Samples.tpmSlot)
    #expect(tpm.header.kind == .tpm && tpm.header.owner == .machine)
    for key in [
      try open(Samples.recoverySlot, Samples.codeSecret),
      try open(Samples.tpmSlot, Samples.tpmSecret),
    ] {
      #expect(key.identifier == Samples.identifier)
      #expect(
        try bytes(of: key.root(of: SecretBytes(copying: Samples.file))) == Samples.root
      )
    }
  }

  @Test
  func theParametersOfATPMAreThoseOfAnotherImplementation() throws {
    let header = try MachineKeySlot(parsing: Samples.tpmSlot).header
    let sealed = try TPMSealedSecret(parameters: header.parameters)
    #expect(sealed.parentName == [0, 11] + [UInt8](repeating: UInt8(ascii: "N"), count: 32))
    #expect(sealed.privatePart == Array("PRIV".utf8))
    #expect(sealed.publicPart == Array("PUB".utf8))
    #expect(try sealed.parameters == header.parameters)
    #expect(try bytes(of: header.authorization().bytes) == Samples.authorization)
  }

  @Test(arguments: [0, 1])
  func everyChangedBitIsRefused(which: Int) throws {
    let slot = [Samples.recoverySlot, Samples.tpmSlot][which]
    let secret = [Samples.codeSecret, Samples.tpmSecret][which]
    for offset in slot.indices {
      for bit in 0..<8 {
        var flipped = slot
        flipped[offset] ^= 1 << bit
        #expect(throws: MachineKeyError.self, "byte \(offset), bit \(bit)") {
          _ = try open(flipped, secret)
        }
      }
    }
  }

  @Test
  func otherLengthsAreRefusedBeforeAKeyIsDerived() throws {
    for count in 0..<Samples.tpmSlot.count {
      #expect(throws: MachineKeyError.malformed) {
        _ = try MachineKeySlot(parsing: Array(Samples.tpmSlot.prefix(count)))
      }
    }
    #expect(throws: MachineKeyError.malformed) {
      _ = try MachineKeySlot(parsing: Samples.tpmSlot + [0])
    }
    var newer = Samples.tpmSlot
    newer[8] = 4
    #expect(throws: MachineKeyError.unknownKind(4)) { _ = try MachineKeySlot(parsing: newer) }
  }

  @Test
  func everyChangedByteOfTheParametersIsRefusedOrAnotherSecret() throws {
    let parameters = try MachineKeySlot(parsing: Samples.tpmSlot).header.parameters
    let sealed = try TPMSealedSecret(parameters: parameters)
    for offset in parameters.indices {
      var changed = parameters
      changed[offset] ^= 0x81
      #expect((try? TPMSealedSecret(parameters: changed)) != sealed)
    }
    for count in parameters.indices {
      #expect(throws: MachineKeyError.malformed) {
        _ = try TPMSealedSecret(parameters: Array(parameters.prefix(count)))
      }
    }
  }

  @Test
  func aSlotHoldsWhatWasSealedAndEachSealIsFresh() throws {
    let key = try MachineKey.random()
    let secret = try SecretBytes.random(count: MachineKeySlot.secretCount)
    var seen: Set<[UInt8]> = []
    for kind in MachineKeySlot.Kind.allCases {
      var header = try MachineKeySlot.Header(kind, directory: Samples.directory, owner: .user(7))
      header.parameters = [UInt8](repeating: 3, count: Int(kind.rawValue) * 100)
      let slot = try MachineKeySlot(header, sealing: key, under: secret)
      let again = try MachineKeySlot(parsing: slot.encoded)
      #expect(again == slot)
      #expect(try again.open(with: secret).identifier == key.identifier)
      seen.insert(Array(slot.encoded.suffix(60)))
      seen.insert(header.salt)
      seen.insert(header.identifier)
      let other = try SecretBytes.random(count: MachineKeySlot.secretCount)
      #expect(throws: MachineKeyError.doesNotOpen) { _ = try again.open(with: other) }
    }
    #expect(seen.count == 3 * MachineKeySlot.Kind.allCases.count)
  }

  @Test
  func theParametersAreBounded() throws {
    let key = try MachineKey.random()
    let secret = try SecretBytes.random(count: MachineKeySlot.secretCount)
    var header = try MachineKeySlot.Header(.tpm, directory: Samples.directory, owner: .machine)
    header.parameters = [UInt8](repeating: 0, count: MachineKeySlot.mostParameters + 1)
    #expect(throws: MachineKeyError.malformed) {
      _ = try MachineKeySlot(header, sealing: key, under: secret)
    }
  }
}
