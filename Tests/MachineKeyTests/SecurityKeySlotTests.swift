import MachineKey
import SecretMemory
import Testing

@Suite
struct SecurityKeySlotTests {
  private static let parameters = SecurityKeyParameters(
    verifies: true,
    credential: [UInt8](repeating: 0xc1, count: 64),
    salt: [UInt8](0..<32),
    publicKey: [UInt8](100..<164)
  )

  @Test
  func aSlotOfAnotherImplementationOpens() throws {
    let slot = try MachineKeySlot(parsing: Samples.securityKeySlot)
    #expect(slot.header.kind == .securityKey && slot.header.owner == .user(1000))
    #expect(slot.encoded == Samples.securityKeySlot && slot.encoded.count == 302)
    #expect(try SecurityKeyParameters(parameters: slot.header.parameters) == Self.parameters)
    #expect(try Self.parameters.parameters == slot.header.parameters)
    let key = try slot.open(with: SecretBytes(copying: Samples.securityKeySecret))
    #expect(key.identifier == Samples.identifier)
  }

  @Test
  func everyChangedBitIsRefused() throws {
    for offset in Samples.securityKeySlot.indices {
      for bit in 0..<8 {
        var flipped = Samples.securityKeySlot
        flipped[offset] ^= 1 << bit
        #expect(throws: MachineKeyError.self, "byte \(offset), bit \(bit)") {
          let slot = try MachineKeySlot(parsing: flipped)
          _ = try slot.open(with: SecretBytes(copying: Samples.securityKeySecret))
        }
      }
    }
  }

  @Test
  func everyBitOfTheSecretCounts() throws {
    let slot = try MachineKeySlot(parsing: Samples.securityKeySlot)
    for bit in 0..<256 {
      var forged = Samples.securityKeySecret
      forged[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: MachineKeyError.doesNotOpen) {
        _ = try slot.open(with: SecretBytes(copying: forged))
      }
    }
  }

  @Test
  func parametersOfAnotherLengthAreRefused() throws {
    let bytes = try Self.parameters.parameters
    for count in bytes.indices {
      #expect(throws: MachineKeyError.malformed) {
        _ = try SecurityKeyParameters(parameters: Array(bytes.prefix(count)))
      }
    }
    for changed in [bytes + [0], [2] + bytes.dropFirst()] {
      #expect(throws: MachineKeyError.malformed) {
        _ = try SecurityKeyParameters(parameters: changed)
      }
    }
    for count in [0, 1024] {
      let long = SecurityKeyParameters(
        verifies: false,
        credential: [UInt8](repeating: 1, count: count),
        salt: Self.parameters.salt,
        publicKey: Self.parameters.publicKey
      )
      #expect(throws: MachineKeyError.malformed) { _ = try long.parameters }
    }
  }
}
