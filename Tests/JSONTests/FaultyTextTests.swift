import JSON
import Testing

/// Faults of a text that common software makes, where a rule allows them.
@Suite
struct FaultyTextTests {
  private func read(_ text: [UInt8], allowsFaultyText: Bool = true) throws -> JSONObject {
    let rules = JSONRules(
      secretMembers: ["key"],
      keepsRest: true,
      allowsFaultyText: allowsFaultyText
    )
    guard case .object(let object) = try JSONReader.read(text, rules) else { return [:] }
    return object
  }

  /// Strings without their quotation marks.
  private static let faults: [[UInt8]] = [
    // "Jörg" in Latin-1, half of a character, a surrogate in UTF-8, and an overlong form.
    [0x4A, 0xF6, 0x72, 0x67], [0x61, 0xC3], [0xED, 0xA0, 0x80], [0xC0, 0xAF],
    // A tab, a line end, a control character and NUL.
    [0x61, 0x09], [0x0A], [0x1B], [0x61, 0x00, 0x62],
  ]

  @Test(arguments: faults)
  func aStringWithAFaultIsLeftOut(_ fault: [UInt8]) throws {
    let quoted = [UInt8(ascii: "\"")] + fault + [UInt8(ascii: "\"")]
    let start = Array("{\"a\":".utf8)
    let end = Array(#","b":["ö",{"c":"ü\u00f6"}],"key":"x"}"#.utf8)
    let object = try read(start + quoted + end)
    #expect(object["a"] == .unusable)
    #expect(try object.array("b") == ["ö", .object(["c": "üö"])])
    guard case .secret? = object["key"] else {
      Issue.record("no secret")
      return
    }
    #expect(throws: JSONError.self) { try read(start + quoted + end, allowsFaultyText: false) }
    // As a name, and in a value that is skipped.
    #expect(try read(Array("{".utf8) + quoted + Array(#":{"d":"ö"},"b":1}"#.utf8)) == ["b": 1])
    let long = Array("{\"\(String(repeating: "n", count: 129))\":[".utf8)
    #expect(try read(long + quoted + Array("],\"b\":1}".utf8)) == ["b": 1])
    // A secret is never left out.
    #expect(throws: JSONError.unusableSecret(offset: 7)) {
      try read(Array(#"{"key":"#.utf8) + quoted + Array("}".utf8))
    }
  }

  @Test
  func aMarkAtTheStartAndWhatFollowsTheObjectAreIgnored() throws {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    for rest in ["", "\n", "\u{0}", "<!-- 3 ms -->", "}", "{\"a\":2}"] {
      for start in [[], mark] {
        #expect(try read(start + Array("{\"a\":1}\(rest)".utf8)) == ["a": 1])
      }
    }
    #expect(try read(Array("{\"a\":1}".utf8) + [0xFF]) == ["a": 1])
    #expect(throws: JSONError.self) { try read(mark + Array("{}".utf8), allowsFaultyText: false) }
    #expect(throws: JSONError.self) { try read(Array("{} x".utf8), allowsFaultyText: false) }
  }

  @Test(arguments: ["", "{\"a\":1", "{\"a\":\"\u{1}", "[1] x", "x {}", "{\"a\":1,}", "{\"a\" 1}"])
  func whatIsNoObjectIsStillRefused(_ text: String) {
    #expect(throws: JSONError.self) { try read(Array(text.utf8)) }
  }

  @Test
  func anInvalidByteOutsideAStringIsRefused() {
    #expect(throws: JSONError.self) { try read(Array("{\"a\":1,".utf8) + [0xFF, 0x7D]) }
  }
}
