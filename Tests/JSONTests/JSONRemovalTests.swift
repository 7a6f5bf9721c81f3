import SecretMemory
import Testing

@testable import JSON

/// Taking a value out of another program's file.
struct JSONRemovalTests {
  private func removed(_ path: [JSONStep], _ text: String) throws -> String {
    let secret = try SecretBytes(copying: Array(text.utf8))
    let rest = try JSONRemoval.text(of: secret, without: path, JSONRules(secretMembers: ["s"]))
    return unsafe rest.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: [
    (#"{"a":1,"b":2}"#, #"{"b":2}"#),
    (#"{"b":2,"a":1}"#, #"{"b":2}"#),
    (#"{"a":1}"#, "{}"),
    ("{\n  \"a\": {\"b\": [1, \"}\\\"\"]},\n  \"c\": 1e2\n}\n", "{\n  \"c\": 1e2\n}\n"),
    ("{\n  \"c\": 1.50,\n  \"a\": \"x\"\n}", "{\n  \"c\": 1.50\n}"),
    (#"{"b":{"a":3},"\u0061":[],"z":null}"#, #"{"b":{"a":3},"z":null}"#),
    (#" { "a" : true } "#, " {} "),
  ])
  func aMemberGoesAndTheOtherBytesStay(_ text: String, _ rest: String) throws {
    #expect(try removed([.member("a")], text) == rest)
  }

  @Test
  func aPathLeadsIntoObjectsAndArrays() throws {
    let text = #"{"x":[{"s":"1"},{"s":"2","k":0},{"s":"3"}],"y":{"m":{"s":"4"}}}"#
    #expect(
      try removed([.member("x"), .element(1)], text)
        == #"{"x":[{"s":"1"},{"s":"3"}],"y":{"m":{"s":"4"}}}"#
    )
    #expect(
      try removed([.member("x"), .element(2)], text)
        == #"{"x":[{"s":"1"},{"s":"2","k":0}],"y":{"m":{"s":"4"}}}"#
    )
    #expect(
      try removed([.member("y"), .member("m"), .member("s")], text).hasSuffix(#""y":{"m":{}}}"#)
    )
  }

  @Test(arguments: [
    ("{}", [JSONStep.member("a")]), (#"{"a":[1]}"#, [.member("a"), .element(1)]),
    (#"{"a":1}"#, [.member("a"), .member("b")]), ("[1]", [.member("a")]), ("[]", [.element(0)]),
    (#"{"a":1"#, [.member("a")]), ("7", [.member("a")]),
  ])
  func anAbsentValueIsAnError(_ text: String, _ path: [JSONStep]) {
    #expect(throws: JSONError.self) { try removed(path, text) }
  }
}
