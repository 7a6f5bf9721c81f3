import JSON
import SecretMemory
import Testing

/// Texts that RFC 8259 allows, and their values here.
private let accepted: [(text: String, value: JSONValue)] = [
  // Scalars, with and without space around them.
  ("null", nil),
  ("true", true),
  ("false", false),
  (" null ", nil),
  ("\t\r\n null\t\r\n ", nil),
  ("\"\"", ""),
  ("[]", []),
  ("{}", [:]),
  ("[ ]", []),
  ("{ }", [:]),
  ("[\n]", []),
  // Numbers.
  ("0", 0),
  ("-0", 0),
  ("1", 1),
  ("-1", -1),
  ("123", 123),
  ("20", 20),
  ("9223372036854775807", .integer(.max)),
  ("-9223372036854775808", .integer(.min)),
  ("9223372036854775808", .number(9_223_372_036_854_775_808)),
  ("-9223372036854777856", .number(-9_223_372_036_854_777_856)),
  ("100000000000000000000", .number(1e20)),
  ("0.0", .number(0)),
  ("-0.0", .number(-0.0)),
  ("0.5", .number(0.5)),
  ("123.456789", .number(123.456789)),
  ("1e2", .number(100)),
  ("1E2", .number(100)),
  ("1e+2", .number(100)),
  ("1E-2", .number(0.01)),
  ("0e1", .number(0)),
  ("0e+1", .number(0)),
  ("123e65", .number(123e65)),
  ("1.7976931348623157e308", .number(.greatestFiniteMagnitude)),
  ("5e-324", .number(.leastNonzeroMagnitude)),
  ("-0.000000000000000000000000000001", .number(-1e-30)),
  ("[1,2]", [1, 2]),
  ("[ 4 ]", [4]),
  // Strings.
  ("\"a\"", "a"),
  ("\" \"", " "),
  ("\"\\\"\"", "\""),
  ("\"\\\\\"", "\\"),
  ("\"\\/\"", "/"),
  ("\"/\"", "/"),
  ("\"\\b\\f\\n\\r\\t\"", "\u{8}\u{C}\n\r\t"),
  ("\"\\u0041\"", "A"),
  ("\"\\u0060\\u012a\\u12AB\"", "\u{60}\u{12A}\u{12AB}"),
  ("\"\\u00e9\"", "\u{E9}"),
  ("\"\\u00E9\"", "\u{E9}"),
  ("\"\\u07ff\\u0800\\uffff\"", "\u{7FF}\u{800}\u{FFFF}"),
  ("\"\\ud83d\\ude00\"", "\u{1F600}"),
  ("\"\\uD834\\uDD1E\"", "\u{1D11E}"),
  ("\"\\ud800\\udc00\"", "\u{10000}"),
  ("\"\\udbff\\udfff\"", "\u{10FFFF}"),
  ("\"\\u001f\"", "\u{1F}"),
  ("\"\u{7F}\"", "\u{7F}"),
  ("\"\\u2028\u{2029}\"", "\u{2028}\u{2029}"),
  ("\"\\u0022\\u005c\"", "\"\\"),
  ("\"\\\\u0000\"", "\\u0000"),
  ("\"\\\\n\"", "\\n"),
  ("\"é€😀\"", "é€😀"),
  ("\"\u{FEFF}\"", "\u{FEFF}"),
  ("\"a/*b*/c\"", "a/*b*/c"),
  // Arrays and objects.
  ("[null]", [nil]),
  ("[true,false]", [true, false]),
  ("[[]   ]", [[]]),
  ("[[],[[]]]", [[], [[]]]),
  ("[1,null,\"a\",{}]", [1, nil, "a", [:]]),
  ("{\"a\":1}", ["a": 1]),
  ("{\"\":0}", ["": 0]),
  ("{\"a\":1,\"b\":2}", ["a": 1, "b": 2]),
  ("{\"a\":{\"a\":{}}}", ["a": ["a": [:]]]),
  ("{\"a\" : [ ] , \"b\" : { } }", ["a": [], "b": [:]]),
  ("{\"\\u0061\":1}", ["a": 1]),
  ("{\"a\":1,\"A\":2}", ["a": 1, "A": 2]),
  ("{\n\"a\":\n1\n}\n", ["a": 1]),
]

@Suite
struct AcceptedTests {
  @Test(arguments: accepted.indices)
  func aTextOfTheGrammarIsRead(_ index: Int) throws {
    let (text, value) = accepted[index]
    #expect(try JSONReader.read(Array(text.utf8)) == value, "\(text)")
  }

  @Test(arguments: accepted.indices)
  func whatIsWrittenReadsBackTheSame(_ index: Int) throws {
    let value = accepted[index].value
    let written = try JSONWriter.write(value)
    #expect(try JSONReader.read(written) == value, "\(accepted[index].text)")
    let secret = try JSONWriter.writeSecret(value)
    #expect(try JSONReader.read(secret) == value)
    #expect(secret.count == written.count)
  }

  @Test(arguments: accepted.indices)
  func noBeginningOfATextIsASurprise(_ index: Int) throws {
    let bytes = Array(accepted[index].text.utf8)
    let spaces: Set<UInt8> = [0x20, 0x0A, 0x0D, 0x09]
    let body = Array(bytes.reversed().drop { spaces.contains($0) }.reversed())
    for count in 0..<body.count {
      let beginning = Array(body.prefix(count))
      do {
        let value = try JSONReader.read(beginning)
        // Only a number's beginning may be a complete number.
        switch value {
        case .integer, .number: break
        default: Issue.record("\(count) bytes of \(accepted[index].text) were read")
        }
      } catch {
        #expect(error == .truncated || error == .notText, "\(count) bytes of \(body)")
      }
    }
  }

  @Test
  func theOrderOfMembersIsKept() throws {
    let value = try JSONReader.read(Array("{\"b\":1,\"a\":2,\"c\":3}".utf8))
    guard case .object(let object) = value else {
      Issue.record("not an object")
      return
    }
    #expect(object.members.map(\.name) == ["b", "a", "c"])
    #expect(try JSONWriter.write(value) == Array("{\"b\":1,\"a\":2,\"c\":3}".utf8))
  }

  @Test
  func depthUpToTheMaximumIsRead() throws {
    let depth = JSONReader.maximumDepth
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
      let text =
        String(repeating: open, count: depth - 1) + "[]"
        + String(repeating: close, count: depth - 1)
      let value = try JSONReader.read(Array(text.utf8))
      #expect(try JSONWriter.write(value) == Array(text.utf8))
    }
  }
}
