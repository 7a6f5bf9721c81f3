public import SecretMemory

/// The one reader of JSON text: strict (RFC 8259), bounded, and without a trap for any input.
///
/// Refused beyond the grammar: names that come twice, names over `maximumName` bytes, NUL in strings,
/// halves of surrogate pairs, numbers that no `Double` holds, a byte order mark, and depth beyond
/// `maximumDepth`. `JSONRules` says what is refused and what is only left out.
///
/// The time that it takes is proportional to the length of the text, whatever stands there, and so
/// is the time of any `String` operation on what it brings: see `String.isStreamSafe`.
public enum JSONReader {
  /// The most bytes that are read.
  public static let maximumCount = 1 << 20
  /// The most arrays and objects within one another.
  public static let maximumDepth = 32
  /// The most arrays and objects in a text of so many bytes: one for each 16 bytes, and 256.
  ///
  /// Each takes memory of its own, which is most of what a text can cost; what is meant holds more.
  public static func maximumContainers(ofBytes count: Int) -> Int { 256 + count / 16 }
  /// The most secrets in one text: each takes a slot of locked memory.
  public static let maximumSecrets = 64
  /// The most bytes of a member's name.
  public static let maximumName = 128

  /// Reads one value, which must be the whole text.
  public static func read(
    _ bytes: UnsafeRawBufferPointer,
    _ rules: JSONRules
  ) throws(JSONError) -> JSONValue {
    guard bytes.count <= maximumCount else { throw .tooLong(bytes.count) }
    guard unsafe isText(bytes) else { throw .notText }
    var parser = unsafe JSONParser(bytes, rules)
    return try parser.document()
  }

  /// Reads one value from ordinary memory.
  public static func read(_ bytes: [UInt8], _ rules: JSONRules) throws(JSONError) -> JSONValue {
    // `Array.withUnsafeBytes` rethrows any error: a result carries the type out.
    let result = unsafe bytes.withUnsafeBytes { buffer in
      Result { () throws(JSONError) in unsafe try read(buffer, rules) }
    }
    return try result.get()
  }

  /// Reads one value from a secret, such as the body of a provider's answer.
  public static func read(
    _ bytes: borrowing SecretBytes,
    _ rules: JSONRules
  ) throws(JSONError) -> JSONValue {
    unsafe try bytes.withUnsafeBytes { buffer throws(JSONError) in
      unsafe try read(buffer, rules)
    }
  }

  /// Reads one value from ordinary memory; nothing in it is left out.
  public static func read(
    _ bytes: [UInt8],
    secretMembers: Set<String> = []
  ) throws(JSONError) -> JSONValue {
    try read(bytes, JSONRules(secretMembers: secretMembers))
  }

  /// Reads one value from a secret; nothing in it is left out.
  public static func read(
    _ bytes: borrowing SecretBytes,
    secretMembers: Set<String> = []
  ) throws(JSONError) -> JSONValue {
    try read(bytes, JSONRules(secretMembers: secretMembers))
  }
}

/// Whether the bytes are UTF-8.
func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
  let span = unsafe bytes.bindMemory(to: UInt8.self).span
  return (try? UTF8Span(validating: span)) != nil
}
