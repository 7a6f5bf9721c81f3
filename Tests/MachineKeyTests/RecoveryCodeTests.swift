import MachineKey
import SecretMemory
import Testing

@Suite
struct RecoveryCodeTests {
  private func typed(_ text: String) throws -> RecoveryCode {
    try RecoveryCode.typed(SecretBytes(copying: Array(text.utf8)))
  }

  @Test
  func aCodeIsThatOfAnotherImplementation() throws {
    let code = try typed(Samples.code)
    #expect(try bytes(of: code.text().bytes) == Array(Samples.code.utf8))
    #expect(try bytes(of: code.secret().bytes) == Samples.codeSecret)
  }

  @Test
  func typedInputIsForgiving() throws {
    let code = try typed(Samples.code)
    let forms = [
      Samples.code.lowercased(), Samples.code.replacing("-", with: ""),
      Samples.code.replacing("-", with: "  "), " " + Samples.code + " ",
      Samples.code.replacing("0", with: "O"), Samples.code.replacing("1", with: "l"),
      Samples.code.replacing("1", with: "I"), Samples.code.replacing("0", with: "o"),
    ]
    for form in forms { #expect(try typed(form) == code, "\(form)") }
  }

  @Test
  func aMistypedCodeIsRefusedByItsCheck() throws {
    let characters = Array(Samples.code)
    var refused = 0
    var passed = 0
    for index in characters.indices where characters[index] != "-" {
      for other in "0123456789ABCDEFGHJKMNPQRSTVWXYZ" where other != characters[index] {
        var changed = characters
        changed[index] = other
        do {
          _ = try typed(String(changed))
          passed += 1
        } catch RecoveryCode.Flaw.wrongCheck {
          refused += 1
        }
      }
    }
    #expect(refused + passed == 34 * 31)
    // Ten bits of check let one mistake of 1024 pass.
    #expect(passed <= 5)
  }

  @Test
  func otherTextsAreRefusedWithTheirFlaw() {
    let texts: [(String, RecoveryCode.Flaw)] = [
      ("", .wrongLength(0)), ("---", .wrongLength(0)),
      (String(Samples.code.dropLast()), .wrongLength(33)),
      (Samples.code + "0", .wrongLength(35)),
      ("U" + Samples.code.dropFirst(), .unknownCharacter(1)),
      ("00ü", .unknownCharacter(3)),
      (String(repeating: "0", count: 257), .wrongLength(257)),
    ]
    for (text, flaw) in texts {
      #expect(throws: flaw, "\(text)") { _ = try typed(text) }
    }
  }

  @Test
  func newCodesDifferAndReadBack() throws {
    var seen: Set<[UInt8]> = []
    for _ in 0..<200 {
      let code = try RecoveryCode.random()
      let text = try code.text()
      #expect(text.bytes.count == RecoveryCode.textCount)
      #expect(try RecoveryCode.typed(text.bytes) == code)
      seen.insert(bytes(of: text.bytes))
    }
    #expect(seen.count == 200)
  }
}
