import JSON
import SecretMemory
import Testing

/// Every `String` of a tree: names and values.
private func strings(_ value: JSONValue) -> [String] {
  switch value {
  case .string(let text): [text]
  case .array(let elements): elements.flatMap(strings)
  case .object(let object): object.members.flatMap { [$0.name] + strings($0.value) }
  case .null, .unusable, .boolean, .integer, .number, .secret: []
  }
}

/// Every secret of a tree, as bytes for the test.
private func secrets(_ value: JSONValue) -> [[UInt8]] {
  switch value {
  case .secret(let secret): [unsafe secret.bytes.withUnsafeBytes { unsafe Array($0) }]
  case .array(let elements): elements.flatMap(secrets)
  case .object(let object): object.members.flatMap { secrets($0.value) }
  case .null, .unusable, .boolean, .integer, .number, .string: []
  }
}

@Suite
struct SecretMemberTests {
  private static let names: Set<String> = ["password", "key"]

  @Test(arguments: [
    "{\"password\":\"hunter2\"}",
    "{\"a\":{\"b\":[{\"key\":\"hunter2\"}]}}",
    "{\"pass\\u0077ord\":\"hunter2\"}",
    "{\"key\":[\"hunter2\"]}",
    "{\"key\":{\"a\":[\"hunter2\",[{\"b\":\"hunter2\"}]]}}",
    "{\"password\":\"\\u0068unter\\u0032\"}",
    "[{\"password\":\"hunter2\"},{\"key\":\"hunter2\"}]",
  ])
  func aSecretIsInNoString(_ text: String) throws {
    let value = try JSONReader.read(Array(text.utf8), secretMembers: Self.names)
    #expect(strings(value).allSatisfy { !$0.contains("hunter") })
    let found = secrets(value)
    #expect(!found.isEmpty)
    #expect(found.allSatisfy { $0 == Array("hunter2".utf8) })
  }

  @Test
  func othersOfTheSameObjectStayStrings() throws {
    let text = "{\"user\":\"ann\",\"password\":\"x\",\"keys\":\"y\",\"Key\":\"z\"}"
    let value = try JSONReader.read(Array(text.utf8), secretMembers: Self.names)
    #expect(strings(value) == ["user", "ann", "password", "keys", "y", "Key", "z"])
    #expect(secrets(value) == [Array("x".utf8)])
  }

  @Test
  func escapesOfASecretAreUndone() throws {
    let cases: [(String, String)] = [
      ("", ""), ("\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\u{8}\u{C}\n\r\t"),
      ("\\u0041\\u00e9\\u20ac\\ud83d\\ude00", "A\u{E9}\u{20AC}\u{1F600}"), ("é😀", "é😀"),
    ]
    for (escaped, plain) in cases {
      let text = Array("{\"key\":\"\(escaped)\"}".utf8)
      let value = try JSONReader.read(text, secretMembers: Self.names)
      #expect(secrets(value) == [Array(plain.utf8)])
    }
  }

  @Test
  func aSecretOfAnotherTypeIsWhatItIs() throws {
    let text = "{\"key\":5,\"password\":null}"
    let value = try JSONReader.read(Array(text.utf8), secretMembers: Self.names)
    #expect(value == ["key": 5, "password": nil])
    guard case .object(let object) = value else { return }
    #expect(throws: JSONError.wrongType("key")) { try object.secret("key") }
    #expect(throws: JSONError.missing("password")) { try object.secret("password") }
    #expect(throws: JSONError.wrongType("key")) { try object.string("key") }
  }

  @Test
  func aBadSecretIsRefusedAsAnyString() {
    for text in ["{\"key\":\"\\u0000\"}", "{\"key\":\"a\u{0}b\"}"] {
      #expect(throws: JSONError.containsNUL) {
        try JSONReader.read(Array(text.utf8), secretMembers: Self.names)
      }
    }
    #expect(throws: JSONError.loneSurrogate(offset: 8)) {
      try JSONReader.read(Array("{\"key\":\"\\ud83d\"}".utf8), secretMembers: Self.names)
    }
  }

  @Test
  func moreSecretsThanAMessageHasAreRefused() throws {
    func text(_ count: Int) -> [UInt8] {
      Array(("{\"key\":[" + repeatElement("\"\"", count: count).joined(separator: ",") + "]}").utf8)
    }
    let most = JSONReader.maximumSecrets
    #expect(secrets(try JSONReader.read(text(most), secretMembers: Self.names)).count == most)
    #expect(throws: JSONError.tooManySecrets) {
      try JSONReader.read(text(most + 1), secretMembers: Self.names)
    }
  }

  @Test
  func aSecretIsWrittenOnlyToLockedMemory() throws {
    let text = Array("{\"a\":1,\"key\":\"p\\u00e4ss\\n\\\"\"}".utf8)
    let value = try JSONReader.read(text, secretMembers: Self.names)
    #expect(throws: JSONError.secretInOrdinaryMemory) { try JSONWriter.write(value) }
    let written = try JSONWriter.writeSecret(value)
    #expect(try JSONReader.read(written, secretMembers: Self.names) == value)
    let shown = unsafe written.withUnsafeBytes { unsafe Array($0) }
    #expect(shown == Array("{\"a\":1,\"key\":\"päss\\n\\\"\"}".utf8))
  }

  @Test
  func aSecretThatIsNotTextIsNotWritten() throws {
    for (bytes, error) in [([0xFF], JSONError.notText), ([0x61, 0], .containsNUL)] as [([UInt8], _)]
    {
      let value = JSONValue.array([.secret(SharedSecret(try SecretBytes(copying: bytes)))])
      do {
        _ = try JSONWriter.writeSecret(value)
        Issue.record("\(bytes) was written")
      } catch let thrown {
        #expect(thrown == error)
      }
    }
  }

  @Test
  func aTextLongerThanASecretMayBeIsNotWritten() throws {
    let long = String(repeating: "a", count: SecretBytes.maximumCount)
    do {
      _ = try JSONWriter.writeSecret(.string(long))
      Issue.record("it was written")
    } catch let thrown {
      #expect(thrown == .memory(.tooLong(long.utf8.count + 2)))
    }
  }
}
