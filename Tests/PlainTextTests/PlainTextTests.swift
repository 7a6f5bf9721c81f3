import JSON
import Testing

@testable import PlainText

struct PlainTextTests {
  @Test(arguments: [
    "\u{1B}[2J\u{1B}[1;31mroot", "a\nhint: forged", "a\rthumblatch: done", "bell\u{7}",
    "\u{202E}evitan\u{202C}", "\u{2066}x\u{2069}", "\u{200F}rtl", "zero\u{200B}width",
    "c1\u{9B}31m", "\u{2028}line", "tag\u{E0041}", "private\u{E000}", "del\u{7F}", "nul\u{0}",
    "filler\u{3164}", "bom\u{FEFF}",
  ])
  func hostileCharactersAreSpelledOut(_ text: String) {
    let plain = PlainText.line(text)
    #expect(plain.contains("\\u{"))
    for scalar in plain.unicodeScalars {
      #expect(scalar.value >= 0x20 && scalar.value != 0x7F && !(0x80...0x9F).contains(scalar.value))
      #expect(scalar.properties.generalCategory != .format)
    }
  }

  @Test(arguments: ["c1\u{9B}31m", "del\u{7F}", "\u{202E}evitan", "tag\u{E0041}", "\u{2028}"])
  func hostileCharactersInJSONAreEscapedAndMeanTheSame(_ text: String) throws {
    let object: JSONObject = ["müller": .string(text), "quoted \"": .integer(1)]
    let written = String(decoding: try JSONWriter.write(.object(object)), as: UTF8.self)
    let plain = PlainText.json(written)
    #expect(plain.hasPrefix("{\"müller\":"))
    #expect(PlainText.line(plain) == plain)
    guard case .object(let again) = try JSONReader.read([UInt8](plain.utf8), secretMembers: [])
    else {
      Issue.record("no object")
      return
    }
    #expect(try again.string("müller") == text && again.integer("quoted \"") == 1)
  }

  @Test(arguments: ["me", "müller@example.org", "山田", "naïve — dash", "emoji 🙂", "a\\b"])
  func ordinaryTextStaysAsItIs(_ text: String) {
    #expect(PlainText.line(text) == text)
  }

  @Test
  func aNameOfTenKilobytesIsCut() {
    let plain = PlainText.line(String(repeating: "x", count: 10_240))
    #expect(plain.utf8.count == PlainText.maximumLength + 3)
    #expect(plain.hasSuffix("..."))
  }

  @Test
  func marksDoNotPileUpOverOtherLines() {
    let plain = PlainText.line("a" + String(repeating: "\u{0301}", count: 40))
    #expect(plain.unicodeScalars.filter { $0 == "\u{0301}" }.count == PlainText.maximumMarks)
  }

  @Test
  func theWholePromptFitsEightyColumnsWhenWrapped() {
    let prompt =
      "Touch the fingerprint reader to use account 'me' (requested by bash, PID 4211)., or press Enter for your password."
    let lines = PlainText.wrapped(prompt, columns: 80)
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { PlainText.width($0) <= 80 })
    #expect(lines.joined(separator: " ") == prompt)
    #expect(PlainText.wrapped(prompt, columns: 120) == [prompt])
  }

  @Test
  func fittedTextNeverExceedsItsColumns() {
    for columns in 0...20 {
      #expect(PlainText.width(PlainText.fitted("山田太郎 and company", columns: columns)) <= columns)
    }
    #expect(PlainText.fitted("short", columns: 5) == "short")
    #expect(PlainText.fitted("longer", columns: 5) == "lo...")
  }
}
