import MachineKey
import SecretMemory
import Testing

@Suite
struct MachineKeyStateTests {
  @Test
  func aStateOfAnotherImplementationIsAuthentic() throws {
    let state = try MachineKeyState(parsing: Samples.completeState)
    #expect(state.phase == .complete && state.directory == Samples.directory)
    #expect(try state.isAuthentic(under: Samples.key()))
    let made = try MachineKeyState(
      directory: Samples.directory,
      phase: .complete,
      under: Samples.key()
    )
    #expect(made.encoded == Samples.completeState)
    #expect(try !state.isAuthentic(under: MachineKey.random()))
  }

  @Test
  func everyChangedBitIsRefused() throws {
    let key = try Samples.key()
    for offset in Samples.completeState.indices {
      for bit in 0..<8 {
        var flipped = Samples.completeState
        flipped[offset] ^= 1 << bit
        guard let state = try? MachineKeyState(parsing: flipped) else { continue }
        #expect(try !state.isAuthentic(under: key), "byte \(offset), bit \(bit)")
      }
    }
  }

  @Test
  func aStateNamesTheVaultsThatAreUnderTheKey() throws {
    let key = try Samples.key()
    let made = try MachineKeyState(
      directory: Samples.directory,
      phase: .adding,
      adopted: [7, 1000, 4_000_000_000],
      under: key
    )
    let state = try MachineKeyState(parsing: made.encoded)
    #expect(state == made && state.adopted == [7, 1000, 4_000_000_000])
    #expect(try state.isAuthentic(under: key))
    #expect(state.refusesFile(of: 7) && !state.refusesFile(of: 8))
    // A vault that is taken out of the list is not believed.
    var shorter = made.encoded
    shorter.removeSubrange(33..<37)
    #expect(try !MachineKeyState(parsing: shorter).isAuthentic(under: key))
  }

  @Test
  func otherLengthsAreRefused() {
    for count in 0..<MachineKeyState.count {
      #expect(throws: MachineKeyError.malformed) {
        _ = try MachineKeyState(parsing: Array(Samples.completeState.prefix(count)))
      }
    }
    #expect(throws: MachineKeyError.malformed) {
      _ = try MachineKeyState(parsing: Samples.completeState + [0])
    }
  }
}
