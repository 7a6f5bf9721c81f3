import Testing

@testable import DesktopPrompt

/// The lines that are sent to a pinentry, which ends at one of more than 1000 bytes.
struct PinentryTests {
  @Test
  func aQuestionIsSentWholeOrNotAtAll() {
    let longest = String(repeating: "x", count: 992)
    #expect(Pinentry.command("SETDESC", whole: longest) == "SETDESC " + longest)
    #expect(Pinentry.command("SETDESC", whole: longest + "x") == nil)
    // Each line feed takes three bytes.
    #expect(Pinentry.command("SETDESC", whole: "a\nb%") == "SETDESC a%0Ab%25")
    #expect(Pinentry.command("SETDESC", whole: String(repeating: "\n", count: 331)) == nil)
  }

  @Test(arguments: ["x", "\n", "\u{E4}", "\u{1F600}"])
  func aRemarkIsCutToALine(_ character: String) {
    let line = Pinentry.command("SETERROR", String(repeating: character, count: 1000))
    #expect((990...1000).contains(line.utf8.count))
    #expect(line.hasPrefix("SETERROR "))
    #expect(line.hasSuffix("..."))
    #expect(Pinentry.command("SETERROR", character + "!").hasSuffix("!"))
  }
}
