import Testing
import TokenFile

@Suite
struct NameRuleTests {
  private static let letters = Set("abcdefghijklmnopqrstuvwxyz0123456789".utf8)

  @Test
  func everyByteIsJudgedByItsPlace() {
    for byte in UInt8.min...UInt8.max {
      let isLetter = Self.letters.contains(byte)
      let isSign = "._-".utf8.contains(byte)
      #expect(NameRule.accepts([byte].span) == isLetter)
      #expect(NameRule.accepts([0x61, byte].span) == (isLetter || isSign))
      #expect(NameRule.accepts([0x61, byte, 0x61].span) == (isLetter || isSign))
      #expect(NameRule.isOfName(byte) == (isLetter || isSign))
    }
  }

  @Test
  func aNameHasOneToSixtyFourBytes() {
    #expect(!NameRule.accepts(""))
    #expect(NameRule.accepts("a"))
    #expect(NameRule.accepts(String(repeating: "z", count: 64)))
    #expect(!NameRule.accepts(String(repeating: "z", count: 65)))
    #expect(!NameRule.accepts(String(repeating: "z", count: 100_000)))
  }
}
