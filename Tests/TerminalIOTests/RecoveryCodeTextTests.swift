import SecretMemory
import Testing

@testable import TerminalIO

struct RecoveryCodeTextTests {
  private func isSame(_ typed: String, _ shown: String) throws -> Bool {
    RecoveryCodeText.isSame(
      SharedSecret(try SecretBytes(copying: [UInt8](typed.utf8))),
      SharedSecret(try SecretBytes(copying: [UInt8](shown.utf8)))
    )
  }

  @Test(arguments: ["01AB-CD", "01abcd", "OIab cd", "olAB--cd "])
  func aTypedCodeIsComparedByItsSymbols(_ typed: String) throws {
    #expect(try isSame(typed, "01AB-CD"))
  }

  @Test(arguments: ["", "01AB-C", "01AB-CDE", "01AB-CE", "11AB-CD"])
  func anotherCodeIsNotTheSame(_ typed: String) throws {
    #expect(try !isSame(typed, "01AB-CD"))
  }
}
