import JSON
import SecretMemory
import Testing

/// Texts that are not JSON, or exceed the limits here.
private let refused: [(text: String, error: JSONError)] = [
  // Nothing, and incomplete texts.
  ("", .truncated),
  (" ", .truncated),
  ("[", .truncated),
  ("{", .truncated),
  ("[1", .truncated),
  ("[1,", .truncated),
  ("[\"", .truncated),
  ("{\"a", .truncated),
  ("{\"a\"", .truncated),
  ("{\"a\":", .truncated),
  ("{\"a\":1", .truncated),
  ("{\"a\":1,", .truncated),
  ("\"", .truncated),
  ("\"\\", .truncated),
  ("\"\\u", .truncated),
  ("\"\\u00", .truncated),
  ("\"\\ud83d", .truncated),
  ("\"\\ud83d\\", .truncated),
  ("\"\\ud83d\\u", .truncated),
  ("\"\\ud83d\\ude0", .truncated),
  ("t", .truncated),
  ("tru", .truncated),
  ("fals", .truncated),
  ("nul", .truncated),
  ("-", .truncated),
  ("1.", .truncated),
  ("1e", .truncated),
  ("1e+", .truncated),
  // More than one value.
  ("1 1", .unexpected(offset: 2)),
  ("[]]", .unexpected(offset: 2)),
  ("{}}", .unexpected(offset: 2)),
  ("[],", .unexpected(offset: 2)),
  ("null null", .unexpected(offset: 5)),
  ("\"a\"\"b\"", .unexpected(offset: 3)),
  ("truefalse", .unexpected(offset: 4)),
  ("[1]x", .unexpected(offset: 3)),
  ("{} #", .unexpected(offset: 3)),
  ("{}\u{0}", .unexpected(offset: 2)),
  // Words.
  ("True", .unexpected(offset: 0)),
  ("TRUE", .unexpected(offset: 0)),
  ("tRue", .unexpected(offset: 1)),
  ("nil", .unexpected(offset: 1)),
  ("NaN", .unexpected(offset: 0)),
  ("Infinity", .unexpected(offset: 0)),
  ("-Infinity", .unexpected(offset: 1)),
  ("undefined", .unexpected(offset: 0)),
  ("a", .unexpected(offset: 0)),
  ("'a'", .unexpected(offset: 0)),
  ("*", .unexpected(offset: 0)),
  ("\u{0}", .unexpected(offset: 0)),
  ("\\u0041", .unexpected(offset: 0)),
  ("<.>", .unexpected(offset: 0)),
  // Numbers.
  ("+1", .unexpected(offset: 0)),
  (".5", .unexpected(offset: 0)),
  ("01", .unexpected(offset: 1)),
  ("-01", .unexpected(offset: 2)),
  ("00", .unexpected(offset: 1)),
  ("--1", .unexpected(offset: 1)),
  ("-a", .unexpected(offset: 1)),
  ("- 1", .unexpected(offset: 1)),
  ("1.e1", .unexpected(offset: 2)),
  ("1.a", .unexpected(offset: 2)),
  ("1.5.5", .unexpected(offset: 3)),
  ("1ea", .unexpected(offset: 2)),
  ("1e1.5", .unexpected(offset: 3)),
  ("1e1e1", .unexpected(offset: 3)),
  ("1e+-1", .unexpected(offset: 3)),
  ("0x1", .unexpected(offset: 1)),
  ("1_000", .unexpected(offset: 1)),
  ("1 000", .unexpected(offset: 2)),
  ("[1a]", .unexpected(offset: 2)),
  ("[-]", .unexpected(offset: 2)),
  ("\u{FF11}", .unexpected(offset: 0)),
  ("1e309", .numberOutOfRange),
  ("-1e309", .numberOutOfRange),
  ("1e99999999999999999999", .numberOutOfRange),
  (String(repeating: "1", count: 513), .numberOutOfRange),
  ("0." + String(repeating: "0", count: 600), .numberOutOfRange),
  // Strings.
  ("\"\n\"", .unexpected(offset: 1)),
  ("\"\t\"", .unexpected(offset: 1)),
  ("\"\u{1F}\"", .unexpected(offset: 1)),
  ("\"\\a\"", .unexpected(offset: 2)),
  ("\"\\x41\"", .unexpected(offset: 2)),
  ("\"\\'\"", .unexpected(offset: 2)),
  ("\"\\U0041\"", .unexpected(offset: 2)),
  ("\"\\0\"", .unexpected(offset: 2)),
  ("\"\\u004g\"", .unexpected(offset: 6)),
  ("\"\\u 041\"", .unexpected(offset: 3)),
  ("\"\\u+041\"", .unexpected(offset: 3)),
  ("\"\\u{41}\"", .unexpected(offset: 3)),
  ("\"\\\u{E9}\"", .unexpected(offset: 2)),
  ("\"\\ud83d\"", .loneSurrogate(offset: 1)),
  ("\"\\ud83da\"", .loneSurrogate(offset: 1)),
  ("\"\\ud83d\\n\"", .loneSurrogate(offset: 1)),
  ("\"\\ud83d\\u0041\"", .loneSurrogate(offset: 1)),
  ("\"\\ud83d\\ud83d\"", .loneSurrogate(offset: 1)),
  ("\"\\ude00\"", .loneSurrogate(offset: 1)),
  ("\"\\ude00\\ud83d\"", .loneSurrogate(offset: 1)),
  ("\"a\\udfff\"", .loneSurrogate(offset: 2)),
  ("\"\u{0}\"", .containsNUL),
  ("\"\\u0000\"", .containsNUL),
  ("\"a\\u0000b\"", .containsNUL),
  ("{\"\\u0000\":1}", .containsNUL),
  // Arrays.
  ("[,]", .unexpected(offset: 1)),
  ("[1,]", .unexpected(offset: 3)),
  ("[,1]", .unexpected(offset: 1)),
  ("[1,,2]", .unexpected(offset: 3)),
  ("[1 2]", .unexpected(offset: 3)),
  ("[1:2]", .unexpected(offset: 2)),
  ("[1;2]", .unexpected(offset: 2)),
  ("[1}", .unexpected(offset: 2)),
  ("]", .unexpected(offset: 0)),
  ("[\"a\",\u{B}1]", .unexpected(offset: 5)),
  ("[\u{C}]", .unexpected(offset: 1)),
  ("[\u{A0}]", .unexpected(offset: 1)),
  ("[1] // one", .unexpected(offset: 4)),
  ("/**/[]", .unexpected(offset: 0)),
  // Objects.
  ("}", .unexpected(offset: 0)),
  ("{,}", .unexpected(offset: 1)),
  ("{\"a\":1,}", .unexpected(offset: 7)),
  ("{\"a\":1,,\"b\":2}", .unexpected(offset: 7)),
  ("{\"a\" 1}", .unexpected(offset: 5)),
  ("{\"a\"}", .unexpected(offset: 4)),
  ("{\"a\",1}", .unexpected(offset: 4)),
  ("{\"a\"::1}", .unexpected(offset: 5)),
  ("{:1}", .unexpected(offset: 1)),
  ("{a:1}", .unexpected(offset: 1)),
  ("{'a':1}", .unexpected(offset: 1)),
  ("{1:1}", .unexpected(offset: 1)),
  ("{null:1}", .unexpected(offset: 1)),
  ("{\"a\":1]", .unexpected(offset: 6)),
  ("{\"a\":1 \"b\":2}", .unexpected(offset: 7)),
  ("{\"a\":}", .unexpected(offset: 5)),
  ("{[]:1}", .unexpected(offset: 1)),
  ("{\"a\":1,\"a\":2}", .duplicateMember(offset: 7)),
  ("{\"a\":1,\"a\":1}", .duplicateMember(offset: 7)),
  ("{\"a\":1,\"\\u0061\":2}", .duplicateMember(offset: 7)),
  ("{\"\":1,\"\":2}", .duplicateMember(offset: 6)),
  ("[{\"a\":{\"b\":1,\"b\":2}}]", .duplicateMember(offset: 13)),
  // A byte order mark.
  ("\u{FEFF}{}", .unexpected(offset: 0)),
  ("{}\u{FEFF}", .unexpected(offset: 2)),
]

/// Bytes that are not UTF-8.
private let notText: [[UInt8]] = [
  [0xFF], [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
  [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
  [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
  [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xE9], [0xF0, 0x9F, 0x98],
]

@Suite
struct RefusedTests {
  @Test(arguments: refused.indices)
  func aTextBeyondTheGrammarIsRefused(_ index: Int) {
    let (text, error) = refused[index]
    #expect(throws: error, "\(text)") { try JSONReader.read(Array(text.utf8)) }
  }

  @Test(arguments: notText)
  func bytesThatAreNotTextAreRefused(_ bytes: [UInt8]) {
    #expect(throws: JSONError.notText) { try JSONReader.read(bytes) }
    let quoted = [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]
    #expect(throws: JSONError.notText) { try JSONReader.read(quoted) }
    let member = Array("{\"password\":\"".utf8) + bytes + Array("\"}".utf8)
    #expect(throws: JSONError.notText) {
      try JSONReader.read(member, secretMembers: ["password"])
    }
  }

  @Test
  func utf16IsRefused() {
    #expect(throws: JSONError.self) { try JSONReader.read([0x5B, 0, 0x5D, 0]) }
    #expect(throws: JSONError.self) { try JSONReader.read([0, 0x5B, 0, 0x5D]) }
    #expect(throws: JSONError.notText) { try JSONReader.read([0xFF, 0xFE, 0x5B, 0, 0x5D, 0]) }
  }

  @Test(arguments: [33, 1000, 10_000, 100_000])
  func depthBeyondTheMaximumIsRefused(_ depth: Int) {
    for opening in ["[", "{\"a\":", "[{\"a\":"] {
      let text = String(repeating: opening, count: depth)
      #expect(throws: JSONError.tooDeep) { try JSONReader.read(Array(text.utf8)) }
    }
  }

  @Test
  func aTextLongerThanTheMaximumIsRefused() {
    let text = [UInt8](repeating: UInt8(ascii: " "), count: JSONReader.maximumCount + 1)
    #expect(throws: JSONError.tooLong(text.count)) { try JSONReader.read(text) }
  }

  @Test
  func manyMembersTakeNoTimeOutOfProportion() throws {
    let text = "{" + (0..<80_000).map { "\"\($0)\":0" }.joined(separator: ",") + "}"
    let started = ContinuousClock.now
    let value = try JSONReader.read(Array(text.utf8))
    #expect(ContinuousClock.now - started < .seconds(20))
    guard case .object(let object) = value else {
      Issue.record("not an object")
      return
    }
    #expect(object.members.count == 80_000)
  }
}
