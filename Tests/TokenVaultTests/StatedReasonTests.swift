import Testing

@testable import TokenVault

/// The reason that a program states.
struct StatedReasonTests {
  @Test
  func aReasonIsOneLine() throws {
    #expect(try Vault.stated("a \"b\"\n\u{202E}c") == "a 'b'\\u{A}\\u{202E}c")
    #expect(try Vault.stated("") == nil)
  }

  @Test
  func aReasonIsShort() throws {
    for character in ["x", "🙂"] {
      let longest = String(repeating: character, count: 200)
      #expect(try Vault.stated(longest) == longest)
      #expect(throws: VaultFailure.self) { _ = try Vault.stated(longest + "x") }
    }
  }
}
