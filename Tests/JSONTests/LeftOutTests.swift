import JSON
import SecretMemory
import Testing

/// Members that must not cost a reader the rest of a document: values that are too deep or too
/// large, and repeated names.
@Suite
struct LeftOutTests {
  private static let deep = [
    String(repeating: "[", count: 40) + String(repeating: "]", count: 40),
    String(repeating: #"{"a":"#, count: 40) + "0" + String(repeating: "}", count: 40),
    String(repeating: #"[{"a":["x",-1.5e3,true,null,"#, count: 20) + "[]"
      + String(repeating: "]}]", count: 20),
  ]
  private static let many = [
    "[" + [String](repeating: "[]", count: 2000).joined(separator: ",") + "]",
    "[" + [String](repeating: #"{"a":{}}"#, count: 2000).joined(separator: " , ") + "]",
  ]

  private func read(_ text: String, allowsRepeated: Bool = true) throws -> JSONObject {
    let rules = JSONRules(
      secretMembers: ["key", "password"],
      keepsRest: true,
      allowsRepeated: allowsRepeated
    )
    guard case .object(let object) = try JSONReader.read(Array(text.utf8), rules) else {
      return [:]
    }
    return object
  }

  private func bytes(_ value: JSONValue?) -> [UInt8]? {
    guard case .secret(let secret)? = value else { return nil }
    return unsafe secret.bytes.withUnsafeBytes { unsafe Array($0) }
  }

  // MARK: - Too deep, and too many

  @Test(arguments: deep + many)
  func whatIsTooDeepOrTooMuchIsLeftOut(_ value: String) throws {
    for text in [#"{"a":\#(value),"b":2}"#, #"{"b":2,"a":\#(value)}"#] {
      let object = try read(text)
      #expect(try object.integer("b") == 2)
      #expect(object["a"] != nil)
      #expect(throws: JSONError.self) { try JSONReader.read(Array(text.utf8)) }
    }
  }

  @Test
  func whatIsLeftOutBeginsAtTheLimit() throws {
    let depth = JSONReader.maximumDepth - 1
    let open = String(repeating: "[", count: depth)
    let close = String(repeating: "]", count: depth)
    var kept: JSONValue = .array([])
    var cut: JSONValue = .array([.unusable])
    for _ in 1..<depth {
      kept = .array([kept])
      cut = .array([cut])
    }
    #expect(try read(#"{"a":\#(open)\#(close)}"#)["a"] == kept)
    #expect(try read(#"{"a":\#(open)[]\#(close)}"#)["a"] == cut)
    #expect(try read(#"{"a":\#(open){"b":[{}]}\#(close)}"#)["a"] == cut)
  }

  /// No depth of a text exhausts the stack.
  @Test(arguments: ["[", #"{"a":"#, #"[{"":[0,"#])
  func anyDepthIsSteppedOver(_ opening: String) throws {
    let count = 50_000
    let brackets: [Character: Character] = ["[": "]", "{": "}"]
    let closing = String(opening.reversed().compactMap { brackets[$0] })
    let text =
      #"{"a":"# + String(repeating: opening, count: count) + "0"
      + String(repeating: closing, count: count) + #","b":2}"#
    #expect(try read(text).integer("b") == 2)
  }

  @Test(arguments: [
    "[1", "[1,", "[,1]", "[1,]", "[1}", "{", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1]"#,
    #"{1:2}"#, "[nul]", "[01]", "[\"\u{1}\"]", #"["\x"]"#, "[1 2]", #"{"a":1 "b":2}"#, "[]]",
    "[+1]",
  ])
  func whatIsLeftOutIsJSONNevertheless(_ value: String) {
    let open = String(repeating: "[", count: JSONReader.maximumDepth)
    let close = String(repeating: "]", count: JSONReader.maximumDepth)
    #expect(throws: JSONError.self) { try read(#"{"a":\#(open)\#(value)\#(close),"b":2}"#) }
    // The value of a repeated name must also be valid JSON.
    #expect(throws: JSONError.self) { try read(#"{"a":1,"a":\#(value),"b":2}"#) }
  }

  // MARK: - Secrets

  @Test
  func nestedSecretsLeaveRoomForThoseOfTheDocument() throws {
    let strings = [String](repeating: #""x""#, count: 1000).joined(separator: ",")
    for text in [
      #"{"a":{"key":[\#(strings)]},"key":"k","password":"p"}"#,
      #"{"a":[{"key":"1","password":[\#(strings)]}],"password":"p","key":"k"}"#,
    ] {
      let object = try read(text)
      #expect(bytes(object["key"]) == Array("k".utf8))
      #expect(bytes(object["password"]) == Array("p".utf8))
    }
    guard case .object(let inner)? = try read(#"{"a":{"key":[\#(strings)]}}"#)["a"] else {
      Issue.record("not an object")
      return
    }
    let found = try inner.array("key")
    #expect(found.count == 1000)
    #expect(found.count { bytes($0) != nil } == JSONReader.maximumSecrets - 2)
    // None of the other members has a text.
    #expect(found.allSatisfy { $0 == .unusable || bytes($0) == Array("x".utf8) })
  }

  @Test(arguments: [#""\ud83d""#, #""a\u0000""#])
  func aNestedSecretOfNoUseIsLeftOut(_ value: String) throws {
    let object = try read(#"{"a":{"key":\#(value)},"key":"k"}"#)
    #expect(try object.object("a")["key"] == .unusable)
    #expect(bytes(object["key"]) == Array("k".utf8))
  }

  // MARK: - Names that come twice

  @Test
  func aMemberThatComesTwiceIsOfNoUse() throws {
    let object = try read(#"{"a":1,"b":2,"a":1,"c":{"d":"x","\u0064":"y","e":3},"a":[[]]}"#)
    #expect(object == ["a": .unusable, "b": 2, "c": ["d": .unusable, "e": 3]])
    #expect(throws: JSONError.wrongType("a")) { try object.optionalInteger("a") }
    #expect(throws: JSONError.duplicateMember(offset: 7)) {
      try read(#"{"a":1,"a":1}"#, allowsRepeated: false)
    }
  }

  @Test
  func amongManyMembersAsWell() throws {
    for count in [2, 7, 8, 9, 100, 5000] {
      let members = (0..<count).map { "\"\($0)\":\($0)" }
      for twice in [0, count / 2, count - 1] {
        let object = try read("{" + (members + ["\"\(twice)\":1"]).joined(separator: ",") + "}")
        #expect(object.members.count == count)
        #expect(object["\(twice)"] == .unusable)
        #expect(object.members.count { $0.value == .unusable } == 1)
      }
    }
  }

  /// It is unknown which of the two counts.
  @Test
  func aSecretOfTheDocumentThatComesTwiceIsRefused() throws {
    for text in [#"{"key":"1","key":"2"}"#, #"{"key":"1","a":0,"k\u0065y":null}"#] {
      #expect(throws: JSONError.self) { try read(text) }
    }
    #expect(try read(#"{"a":{"key":"1","key":"2"}}"#) == ["a": ["key": .unusable]])
  }
}
