import JSON
import Testing

/// Names and values that a reader does not keep: refused ones, and those that are only left out.
@Suite
struct UnusableTests {
  /// Alternating marks of two classes, which normalization must sort.
  private static func run(_ count: Int) -> String {
    String(String.UnicodeScalarView((0..<count).map { $0 % 2 == 0 ? "\u{301}" : "\u{323}" }))
  }

  private func read(_ text: String, keepsRest: Bool = false) throws -> JSONObject {
    let rules = JSONRules(secretMembers: ["key"], keepsRest: keepsRest)
    guard case .object(let object) = try JSONReader.read(Array(text.utf8), rules) else {
      return [:]
    }
    return object
  }

  /// Names that are longer than any expected one, or expensive to compare.
  private static let badNames = [
    String(repeating: "a", count: 129), String(repeating: "a", count: 60_000),
    String(repeating: "\u{E9}", count: 65), run(31), "a" + run(40), run(30_000),
    String(repeating: #"\u0061"#, count: 129), String(repeating: #"\u0301\u0323"#, count: 16),
    String(repeating: #"\ud83d\ude00"#, count: 33),
  ]

  @Test(arguments: badNames)
  func aNameOfNoUseIsRefused(_ name: String) {
    #expect(throws: JSONError.unusableName(offset: 7)) {
      try read(#"{"a":1,"\#(name)":2}"#)
    }
  }

  @Test(arguments: badNames)
  func aNameOfNoUseIsLeftOutWhereTheRestCounts(_ name: String) throws {
    for value in ["2", #""x""#, #"{"key":"x"}"#, "[[[]]]"] {
      let object = try read(#"{"a":1,"\#(name)":\#(value),"b":3}"#, keepsRest: true)
      #expect(object == ["a": 1, "b": 3])
    }
    // The value must still be valid JSON.
    #expect(throws: JSONError.self) { try read(#"{"a":1,"\#(name)":nul}"#, keepsRest: true) }
  }

  @Test
  func aNameMayHave128Bytes() throws {
    for name in [String(repeating: "a", count: 128), String(repeating: "\u{E9}", count: 64)] {
      #expect(try read("{\"\(name)\":1}").integer(name) == 1)
    }
  }

  @Test
  func namesAreComparedByTheirBytes() throws {
    let object = try read("{\"\u{E9}\":1,\"e\u{301}\":2,\"\u{212A}\":3}")
    #expect(object.members.count == 3)
    #expect(try object.integer("\u{E9}") == 1 && object.integer("e\u{301}") == 2)
    #expect(object["K"] == nil)
    #expect(object != JSONObject([("e\u{301}", 1), ("\u{E9}", 2), ("\u{212A}", 3)]))
    var changed = object
    changed["e\u{301}"] = nil
    #expect(changed.members.map(\.value) == [1, 3])
    #expect(
      JSONObject([("\u{E9}", 1), ("e\u{301}", 2), ("\u{E9}", 4)]) == ["\u{E9}": 4, "e\u{301}": 2]
    )
    #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
  }

  /// Of up to 8 members, names are searched one by one; a table of more grows with them.
  @Test(arguments: [8, 9, 70])
  func theLastValueOfARepeatedNameCounts(count: Int) {
    let names = (0..<count).map { "n\($0)" }
    let object = JSONObject(
      names.map { ($0, JSONValue.integer(0)) } + [("n0", 1), ("n\(count - 1)", 2)]
    )
    #expect(object.members.map(\.name) == names)
    let between = [JSONValue](repeating: 0, count: count - 2)
    #expect(object.members.map(\.value) == [1] + between + [2])
  }

  @Test
  func aNameThatComesTwiceIsFoundAmongMany() throws {
    for count in [2, 7, 8, 9, 10, 100, 5000] {
      let members = (0..<count).map { "\"\($0)\":0" }
      #expect(try read("{" + members.joined(separator: ",") + "}").members.count == count)
      for twice in [0, count / 2, count - 1] {
        let text = "{" + (members + ["\"\(twice)\":1"]).joined(separator: ",") + "}"
        #expect(throws: JSONError.self) { try read(text) }
        #expect(throws: JSONError.self) { try read(text, keepsRest: true) }
      }
    }
  }

  @Test
  func aTextWithARunOfMarksIsNoText() throws {
    for text in [
      Self.run(31), "abc" + Self.run(20_000), String(repeating: #"\u0301\u0323"#, count: 16),
    ] {
      for keepsRest in [false, true] {
        let object = try read(#"{"a":"\#(text)","b":["\#(text)","x"]}"#, keepsRest: keepsRest)
        #expect(object["a"] == .unusable)
        #expect(try object.array("b") == [.unusable, "x"])
        // The member exists without a type, so a check for a forbidden member finds it.
        #expect(throws: JSONError.wrongType("a")) { try object.optionalString("a") }
      }
    }
    #expect(try read("{\"a\":\"\(Self.run(30))\"}").string("a").unicodeScalars.count == 30)
  }

  private static let flaws: [(String, JSONError)] = [
    (#""a\u0000b""#, .containsNUL), (#""\ud83d""#, .loneSurrogate(offset: 6)),
    (#""\ude00""#, .loneSurrogate(offset: 6)), (#""\ud83d\ud83d""#, .loneSurrogate(offset: 6)),
    (#""x\ud83d\n""#, .loneSurrogate(offset: 7)), ("1e999", .numberOutOfRange),
    (String(repeating: "9", count: 600), .numberOutOfRange),
  ]

  @Test(arguments: flaws.indices)
  func aValueOfNoUseIsLeftOutWhereTheRestCounts(_ index: Int) throws {
    let (value, error) = Self.flaws[index]
    #expect(throws: error) { try read(#"{"a":\#(value),"b":2}"#) }
    #expect(try read(#"{"a":\#(value),"b":2}"#, keepsRest: true) == ["a": .unusable, "b": 2])
    #expect(try read(#"{"a":[\#(value)]}"#, keepsRest: true) == ["a": [.unusable]])
  }

  @Test
  func aSurrogateBehindHalfAPairIsReadByItself() throws {
    let object = try read(#"{"a":"\ud83d\ud83d\ude00","b":"\ud83d\u0061"}"#, keepsRest: true)
    #expect(object == ["a": .unusable, "b": .unusable])
  }

  @Test
  func aSecretOfNoUseIsNeverLeftOut() {
    for value in [#""\ud83d""#, #""a\u0000""#] {
      #expect(throws: JSONError.unusableSecret(offset: 7)) {
        try read(#"{"key":\#(value),"b":2}"#, keepsRest: true)
      }
    }
  }

  @Test
  func aLongTextIsASCIIWhereThatIsTheRule() throws {
    let rules = JSONRules(longestMixedText: 10)
    func value(_ text: String) throws -> JSONValue {
      try JSONReader.read(Array("\"\(text)\"".utf8), rules)
    }
    #expect(try value("\u{E9}\u{E9}\u{E9}\u{E9}\u{E9}") == .string("ééééé"))
    #expect(try value("ééééé\u{E9}") == .unusable)
    #expect(
      try value(String(repeating: "a", count: 5000)) == .string(String(repeating: "a", count: 5000))
    )
  }

  @Test
  func arraysAndObjectsAreBounded() throws {
    func text(_ count: Int) -> [UInt8] {
      Array(("[" + [String](repeating: "[]", count: count).joined(separator: ",") + "]").utf8)
    }
    #expect(throws: Never.self) { try JSONReader.read(text(250)) }
    for count in [600, 20_000] {
      #expect(throws: JSONError.tooManyContainers) { try JSONReader.read(text(count)) }
    }
  }

  @Test
  func whatIsNoUseIsWrittenAsNothing() throws {
    #expect(try JSONWriter.write(["a": .unusable]) == Array(#"{"a":null}"#.utf8))
  }

  @Test(arguments: [
    "0", "-0", "7", "-7", "999999999999999999", "-999999999999999999", "1000000000000000000",
    "9223372036854775807", "-9223372036854775808",
  ])
  func integersAreExact(_ text: String) throws {
    #expect(try JSONReader.read(Array(text.utf8)) == .integer(Int64(text) ?? 1))
  }
}
