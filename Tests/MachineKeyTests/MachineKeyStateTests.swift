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
  func aStateNamesTheVaultsThatAreLeft() throws {
    let key = try Samples.key()
    let left: [UInt32: [UInt8]] = [7: [], 1000: Array(1...8), 4_000_000_000: []]
    let made = try MachineKeyState(
      directory: Samples.directory,
      phase: .complete,
      left: left,
      under: key
    )
    let state = try MachineKeyState(parsing: made.encoded)
    #expect(state == made && state.left == left && made.encoded.count == 65 + 36)
    #expect(try state.isAuthentic(under: key))
    // A list with a vault more or less is not believed.
    var other = made.encoded
    other.removeSubrange(33..<45)
    #expect(try !MachineKeyState(parsing: other).isAuthentic(under: key))
    other.insert(contentsOf: [8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], at: 33)
    #expect(try !MachineKeyState(parsing: other).isAuthentic(under: key))
  }

  @Test
  func aStateSaysIfTheTPMHasACounter() throws {
    let key = try Samples.key()
    for phase in [MachineKeyState.Phase.adding, .complete] {
      let made = try MachineKeyState(
        directory: Samples.directory,
        phase: phase,
        hasCounter: true,
        under: key
      )
      let state = try MachineKeyState(parsing: made.encoded)
      #expect(state == made && state.hasCounter && state.phase == phase)
      #expect(try state.isAuthentic(under: key))
    }
    // A state of an earlier version has none.
    #expect(try !MachineKeyState(parsing: Samples.completeState).hasCounter)
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
