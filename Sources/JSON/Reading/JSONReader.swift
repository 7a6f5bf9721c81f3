package import SecretMemory

/// The only reader of JSON text: strict (RFC 8259), bounded, and without a trap for any input.
///
/// Refused beyond the grammar: duplicate names, names over `maximumName` bytes, NUL in strings,
/// halves of surrogate pairs, numbers that do not fit a `Double`, a byte order mark, and depth over
/// `maximumDepth`. `JSONRules` decides whether these, and faults of the text, are errors or only
/// left out.
///
/// The running time is proportional to the length of the text, for any input. The same holds for
/// any `String` operation on the result: see `String.isStreamSafe`.
package enum JSONReader {
  /// The most bytes of a text.
  package static let maximumCount = 1 << 20
  /// The deepest nesting of arrays and objects.
  package static let maximumDepth = 32
  /// The most arrays and objects in a text of `count` bytes: one for each 16 bytes, and 256.
  ///
  /// Each needs its own memory, which is most of the cost of a text. Real documents have more
  /// content for each.
  package static func maximumContainers(ofBytes count: Int) -> Int { 256 + count / 16 }
  /// The most secrets in one text: each needs a slot of locked memory.
  package static let maximumSecrets = 64
  /// The most bytes of a member's name.
  package static let maximumName = 128

  /// Reads one value, which must be the whole text.
  package static func read(
    _ bytes: UnsafeRawBufferPointer,
    _ rules: JSONRules
  ) throws(JSONError) -> JSONValue {
    guard bytes.count <= maximumCount else { throw .tooLong(bytes.count) }
    let isText = unsafe bytes.isText
    guard isText || rules.allowsFaultyText else { throw .notText }
    var parser = unsafe JSONParser(bytes, rules, isText: isText)
    return try parser.document()
  }

  /// Reads one value from ordinary memory.
  package static func read(_ bytes: [UInt8], _ rules: JSONRules) throws(JSONError) -> JSONValue {
    // `Array.withUnsafeBytes` rethrows any error, so a `Result` carries the typed one.
    let result = unsafe bytes.withUnsafeBytes { buffer in
      Result { () throws(JSONError) in unsafe try read(buffer, rules) }
    }
    return try result.get()
  }

  /// Reads one value from a secret, such as the body of a provider's answer.
  package static func read(
    _ bytes: borrowing SecretBytes,
    _ rules: JSONRules
  ) throws(JSONError) -> JSONValue {
    unsafe try bytes.withUnsafeBytes { buffer throws(JSONError) in
      unsafe try read(buffer, rules)
    }
  }

  /// Reads one value from ordinary memory; invalid content is an error.
  package static func read(
    _ bytes: [UInt8],
    secretMembers: Set<String> = []
  ) throws(JSONError) -> JSONValue {
    try read(bytes, JSONRules(secretMembers: secretMembers))
  }

  /// Reads one value from a secret; invalid content is an error.
  package static func read(
    _ bytes: borrowing SecretBytes,
    secretMembers: Set<String> = []
  ) throws(JSONError) -> JSONValue {
    try read(bytes, JSONRules(secretMembers: secretMembers))
  }
}
