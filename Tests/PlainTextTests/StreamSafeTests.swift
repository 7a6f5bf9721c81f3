import Testing

@testable import PlainText

struct StreamSafeTests {
  private func run(_ count: Int) -> String {
    var text = String.UnicodeScalarView()
    for index in 0..<count { text.append(index % 2 == 0 ? "\u{301}" : "\u{323}") }
    return String(text)
  }

  @Test
  func thirtyMarksMayFollowOneAnother() {
    for start in ["", "a", "\u{1F600}", "e\u{301} "] {
      #expect((start + run(29)).isStreamSafe)
      #expect(!(start + run(32)).isStreamSafe)
      #expect(!(start + run(32) + "z").isStreamSafe)
    }
    #expect(String(repeating: "a" + run(30), count: 100).isStreamSafe)
  }

  @Test(arguments: [
    "", "me", "müller@example.org", "山田", "नमस्ते", "שָׁלוֹם", "ภาษาไทย", "Việt Nam", "한국어", "👨‍👩‍👧‍👦",
  ])
  func whatPeopleWriteIsStreamSafe(_ text: String) {
    #expect(text.isStreamSafe)
  }

  private enum Word: String, CaseIterable {
    case locKed
    case résumé
  }

  @Test
  func aCaseIsFoundOnlyByItsBytes() {
    #expect(Word(named: "locKed") == .locKed && Word(named: "résumé") == .résumé)
    // To `String` the sign for Kelvin is a K.
    #expect(Word(rawValue: "loc\u{212A}ed") == .locKed && Word(named: "loc\u{212A}ed") == nil)
    #expect(Word(named: "re\u{301}sume\u{301}") == nil)
    #expect(Word(named: "") == nil && Word(named: "locKe") == nil)
  }

  @Test
  func aByteTextIsAKeyOfItsOwn() {
    let keys: Set<ByteText> = ["\u{E9}", "e\u{301}", "\u{212A}", "K", "\u{E9}"]
    #expect(keys.count == 4 && keys.contains("K") && !keys.contains("k"))
  }
}
