import MachineKey
import SecretMemory
import Testing

@Suite
struct CounterLedgerTests {
  private static let first = [UInt8](repeating: 3, count: 16)
  private static let second = [UInt8](repeating: 9, count: 16)
  private static let counter = CounterLedger.Counter(
    index: 0x0181_2345,
    salt: [UInt8](32..<64),
    parentName: [0, 11] + [UInt8](repeating: 0x4e, count: 32)
  )
  /// Made by another implementation.
  private static let sample = bytes(
    hex:
      "544c434e545230310102030405060708090a0b0c0d0e0f105925a9e51f59eb13"
      + "45238101202122232425262728292a2b2c2d2e2f303132333435363738393a3b"
      + "3c3d3e3f2c010000000000000122000b4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e"
      + "4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e4e03030303030303030303030303030303"
      + "0500000000000000090909090909090909090909090909090000000000010000"
      + "43445f93fd40596b68d386a054f99f225b8e3d91aff044cbdc44b6dc243eff6f"
  )

  private func ledger(
    _ unlisted: CounterLedger.Unlisted = .isRefused,
    _ vaults: [[UInt8]: UInt64] = [first: 5, second: 1 << 40]
  ) throws -> CounterLedger {
    try CounterLedger(
      directory: Samples.directory,
      counter: Self.counter,
      value: 300,
      unlisted: unlisted,
      vaults: vaults,
      under: Samples.key()
    )
  }

  @Test
  func aLedgerOfAnotherImplementationIsAuthentic() throws {
    let parsed = try CounterLedger(parsing: Self.sample)
    #expect(try parsed == ledger() && ledger().encoded == Self.sample)
    #expect(try parsed.isAuthentic(under: Samples.key()))
    #expect(try !parsed.isAuthentic(under: MachineKey.random()))
    let authorization = try CounterLedger.Counter.authorization(
      salt: parsed.counter.salt,
      under: Samples.key()
    )
    #expect(
      bytes(of: authorization.bytes)
        == bytes(hex: "308af39e7c72e9d246877034294969f17f0ffb9be37a7e0c1591d672190c1c07")
    )
  }

  @Test
  func everyChangedBitIsRefused() throws {
    let key = try Samples.key()
    for offset in Self.sample.indices {
      for bit in 0..<8 {
        var flipped = Self.sample
        flipped[offset] ^= 1 << bit
        guard let ledger = try? CounterLedger(parsing: flipped) else { continue }
        #expect(try !ledger.isAuthentic(under: key), "byte \(offset), bit \(bit)")
      }
    }
  }

  @Test
  func aStateIsNoLedger() throws {
    #expect(throws: MachineKeyError.malformed) {
      _ = try CounterLedger(parsing: Samples.completeState)
    }
    #expect(throws: MachineKeyError.malformed) {
      _ = try MachineKeyState(parsing: Self.sample)
    }
  }

  @Test
  func otherLengthsAreRefused() throws {
    let key = try Samples.key()
    for count in Self.sample.indices {
      guard let ledger = try? CounterLedger(parsing: Array(Self.sample.prefix(count))) else {
        continue
      }
      #expect(try !ledger.isAuthentic(under: key), "\(count) bytes")
    }
    #expect(throws: MachineKeyError.malformed) {
      _ = try CounterLedger(parsing: Self.sample + [0])
    }
  }

  @Test
  func vaultsOutOfOrderAndVaultsTwiceAreRefused() throws {
    let end = Self.sample.count - 32
    let (first, second) = (Self.sample[(end - 48)..<(end - 24)], Self.sample[(end - 24)..<end])
    for vaults in [second + first, first + first, second + second] {
      #expect(throws: MachineKeyError.malformed) {
        _ = try CounterLedger(
          parsing: Array(Self.sample[..<(end - 48)] + vaults + Self.sample[end...])
        )
      }
    }
  }

  @Test
  func aVaultIsJudgedByItsCount() throws {
    let listed = try ledger(.isNew)
    #expect(listed.judgement(of: Self.first, count: 4) == .older)
    #expect(listed.judgement(of: Self.first, count: 5) == .current)
    #expect(listed.judgement(of: Self.first, count: 6) == .current)
    let other = [UInt8](repeating: 1, count: 16)
    #expect(listed.judgement(of: other, count: 7) == .current)
    let begunAgain = try ledger(.isRefused)
    #expect(begunAgain.judgement(of: Self.first, count: 4) == .older)
    #expect(begunAgain.judgement(of: Self.first, count: 6) == .current)
    #expect(begunAgain.judgement(of: other, count: 7) == .notAccepted)
    #expect(begunAgain.judgement(of: other, count: 0) == .notAccepted)
  }
}
