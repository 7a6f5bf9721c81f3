import Configuration
import Testing

@Suite
struct NamesTests {
  @Test(arguments: ["a", "work", "0", "my.mail-account_2", String(repeating: "x", count: 64)])
  func ordinaryNamesAreTaken(_ text: String) throws {
    #expect(try AccountName(text).text == text)
    #expect(try ProviderName(text).text == text)
  }

  @Test(arguments: [
    "", ".", "..", "@", "-a", "_a", ".hidden", "Work", "a/b", "../etc/passwd", "a b", "a\n", "\n",
    "a\0b", "a\u{1B}[2J", "ä", "a\u{202E}b", "a\u{301}", String(repeating: "x", count: 65),
    String(repeating: "x", count: 10_240), String(repeating: "\n", count: 10_240),
  ])
  func otherNamesAreRefusedInOneShortLine(_ text: String) throws {
    let errors = [
      #expect(throws: ConfigurationError.self) { try AccountName(text) },
      #expect(throws: ConfigurationError.self) { try ProviderName(text) },
    ]
    for error in errors {
      let description = try #require(error).description
      #expect(description.utf8.allSatisfy { (0x20...0x7E).contains($0) })
      #expect(description.utf8.count < 260)
    }
  }

  @Test(arguments: [
    ("plain", "plain"), ("a\nb", "a\\nb"), ("\u{1B}[2J", "\\u{1b}[2J"),
    ("say \"x\"", "say \\\"x\\\""),
    ("\u{202E}", "\\u{202e}"),
    (String(repeating: "y", count: 80), String(repeating: "y", count: 80)),
    (String(repeating: "y", count: 81), String(repeating: "y", count: 77) + "..."),
    (String(repeating: "\n", count: 10_240), String(repeating: "\\n", count: 38) + "..."),
  ])
  func quotedTextIsEscapedAndCut(_ text: String, _ shown: String) {
    #expect(ConfigurationError.shown(text) == shown)
    #expect(ConfigurationError.shown(text).utf8.count <= 80)
  }
}
