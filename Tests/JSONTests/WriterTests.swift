import JSON
import SecretMemory
import Testing

@Suite
struct WriterTests {
  @Test
  func textIsEscapedWhereItMustBe() throws {
    let value: JSONValue = .string("\"\\/\u{8}\t\n\u{C}\r\u{1}\u{1F}\u{7F}é😀")
    let text = "\"\\\"\\\\/\\b\\t\\n\\f\\r\\u0001\\u001f\u{7F}é😀\""
    #expect(try JSONWriter.write(value) == Array(text.utf8))
  }

  @Test
  func everyCharacterButNULReadsBack() throws {
    var text = ""
    for number in UInt32(1)...0x10FFFF where number % 61 == 0 || number < 0x1000 {
      guard let scalar = Unicode.Scalar(number) else { continue }
      text.unicodeScalars.append(scalar)
      // A letter between them, because the reader rejects this many marks in a row.
      text.append("a")
    }
    #expect(try JSONReader.read(JSONWriter.write(.string(text))) == .string(text))
  }

  @Test
  func whatTheReaderWouldRefuseIsNotWritten() {
    var deep: JSONValue = 0
    for _ in 0...JSONReader.maximumDepth { deep = [deep] }
    let refused: [(JSONValue, JSONError)] = [
      (.number(.nan), .numberOutOfRange), (.number(.infinity), .numberOutOfRange),
      (.number(-.infinity), .numberOutOfRange), ("a\u{0}", .containsNUL),
      (["\u{0}": 1], .containsNUL), (deep, .tooDeep),
    ]
    for (value, error) in refused {
      #expect(throws: error) { try JSONWriter.write(value) }
      do {
        _ = try JSONWriter.writeSecret(value)
        Issue.record("it was written")
      } catch let thrown {
        #expect(thrown == error)
      }
    }
  }

  @Test
  func theTerminatorFollowsTheText() throws {
    let written = try JSONWriter.writeSecret([1], terminator: [0])
    #expect(unsafe written.withUnsafeBytes { unsafe Array($0) } == Array("[1]\u{0}".utf8))
  }

  @Test
  func numbersKeepTheirValue() throws {
    for number in [0.1, 1 / 3, 1e21, 1e-7, 123_456_789.125, .pi, 2e-308, 1.5e300, 3] {
      #expect(try JSONReader.read(JSONWriter.write(.number(number))) == .number(number))
    }
  }
}

@Suite
struct ObjectTests {
  private let object: JSONObject = [
    "string": "a", "integer": 5, "whole": 3600.0, "part": 0.5, "huge": 1e300, "truth": true,
    "null": nil, "object": ["a": 1], "array": [1],
  ]

  @Test
  func aMemberIsReadAsItsType() throws {
    #expect(try object.string("string") == "a")
    #expect(try object.integer("integer") == 5)
    #expect(try object.integer("whole") == 3600)
    #expect(try object.boolean("truth"))
    #expect(try object.object("object") == ["a": 1])
    #expect(try object.array("array") == [1])
  }

  @Test
  func anotherTypeIsAnErrorThatNamesTheMember() {
    #expect(throws: JSONError.wrongType("integer")) { try object.string("integer") }
    #expect(throws: JSONError.wrongType("part")) { try object.integer("part") }
    #expect(throws: JSONError.wrongType("huge")) { try object.integer("huge") }
    #expect(throws: JSONError.wrongType("string")) { try object.boolean("string") }
    #expect(throws: JSONError.wrongType("array")) { try object.object("array") }
    #expect(throws: JSONError.wrongType("object")) { try object.array("object") }
    // A string that the reader did not treat as a secret has been in ordinary memory.
    #expect(throws: JSONError.wrongType("string")) { try object.secret("string") }
    #expect(throws: JSONError.wrongType("integer")) { try object.optionalString("integer") }
  }

  @Test
  func missingAndNullAreTheSame() throws {
    for name in ["null", "none"] {
      #expect(throws: JSONError.missing(name)) { try object.string(name) }
      #expect(throws: JSONError.missing(name)) { try object.secret(name) }
      #expect(try object.optionalString(name) == nil)
      #expect(try object.optionalInteger(name) == nil)
      #expect(try object.optionalBoolean(name) == nil)
      #expect(try object.optionalObject(name) == nil)
      #expect(try object.optionalArray(name) == nil)
    }
  }

  /// White space makes room for more arrays and objects than the same value has without it.
  @Test
  func whatTheReaderWouldRefuseIsNotWritten() throws {
    let text =
      "["
      + [String](repeating: "[]" + String(repeating: " ", count: 40), count: 400)
      .joined(separator: ",") + "]"
    let value = try JSONReader.read(Array(text.utf8))
    #expect(throws: JSONError.tooManyContainers) { try JSONWriter.write(value) }
    #expect(throws: JSONError.tooManyContainers) { try JSONWriter.writeSecret(value).count }
    guard case .array(let elements) = value else { return }
    let most = JSONValue.array(Array(elements.prefix(255)))
    #expect(try JSONReader.read(try JSONWriter.write(most)) == most)
  }

  @Test
  func settingKeepsNamesUnique() {
    var object: JSONObject = ["a": 1, "b": 2, "a": 3]
    #expect(object == ["a": 3, "b": 2])
    object["b"] = 4
    object["c"] = 5
    #expect(object.members.map(\.name) == ["a", "b", "c"])
    object["a"] = nil as JSONValue?
    object["none"] = nil as JSONValue?
    #expect(object == ["b": 4, "c": 5])
  }
}
