import SecretMemory
import TestSupport
import Testing

@testable import TerminalIO

/// The repetition of a call until a security key accepts the PIN.
struct KeyPINTests {
  private enum Failure: Error, Equatable {
    case wantsPIN
    case other
    case gaveUp
  }

  /// A key with a PIN; it fails for another reason when it is blocked.
  private final class Key {
    var questions: [String] = []
    var calls = 0
    let isBlocked: Bool

    init(isBlocked: Bool = false) { self.isBlocked = isBlocked }

    func call(_ pin: SharedSecret?) throws(Failure) -> Int {
      calls += 1
      guard let pin else { throw .wantsPIN }
      let isRight = pin.bytes.withBytes { $0.count == 4 }
      if isRight { return calls }
      throw isBlocked ? .other : .wantsPIN
    }
  }

  private func secret(_ text: String) throws -> SharedSecret {
    SharedSecret(try SecretBytes(copying: Array(text.utf8)))
  }

  private func run(
    _ key: Key,
    _ pin: inout KeyPIN,
    typing secrets: [SharedSecret]
  ) throws(Failure) -> Int {
    var secrets = secrets
    return try pin.repeating { known throws(Failure) in
      try key.call(known)
    } wanted: { error in
      error == .wantsPIN ? "PIN" : nil
    } ask: { question throws(Failure) in
      key.questions.append(question)
      guard !secrets.isEmpty else { throw .gaveUp }
      return secrets.removeFirst()
    }
  }

  @Test
  func thePINIsAskedUntilItIsRightAndThenKept() throws {
    let key = Key()
    var pin = KeyPIN()
    #expect(try run(key, &pin, typing: [secret("0"), secret("1"), secret("8261")]) == 4)
    #expect(key.questions == ["PIN", "Wrong PIN. PIN", "Wrong PIN. PIN"])
    #expect(try run(key, &pin, typing: []) == 5)
    #expect(key.questions.count == 3)
  }

  @Test
  func anotherErrorAndAPersonWhoGivesUpEndTheRepetition() throws {
    var pin = KeyPIN()
    let wrong = try secret("0")
    #expect(throws: Failure.other) { try run(Key(isBlocked: true), &pin, typing: [wrong]) }
    var other = KeyPIN()
    #expect(throws: Failure.gaveUp) { try run(Key(), &other, typing: [wrong]) }
  }
}
