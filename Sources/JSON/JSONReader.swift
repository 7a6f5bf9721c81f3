public import SecretMemory

/// The one reader of JSON text: strict (RFC 8259), bounded, and without a trap for any input.
///
/// Refused beyond the grammar: names that come twice, NUL in strings, halves of surrogate pairs,
/// numbers that no `Double` holds, a byte order mark, and depth beyond `maximumDepth`. Names that
/// are canonically equivalent in Unicode count as the same.
public enum JSONReader {
  /// The most bytes that are read.
  public static let maximumCount = 1 << 20
  /// The most arrays and objects within one another.
  public static let maximumDepth = 32
  /// The most secrets in one text: each takes a slot of locked memory.
  public static let maximumSecrets = 64

  /// Reads one value, which must be the whole text.
  ///
  /// Strings of the members named in `secretMembers`, at any depth, are unescaped straight into
  /// `SecretBytes` and never are a `String`. Strings in an array or object under such a name are
  /// secrets too, so that a secret of a wrong shape does not leak into one.
  public static func read(
    _ bytes: UnsafeRawBufferPointer,
    secretMembers: Set<String> = []
  ) throws(JSONError) -> JSONValue {
    guard bytes.count <= maximumCount else { throw .tooLong(bytes.count) }
    guard unsafe isText(bytes) else { throw .notText }
    var parser = unsafe JSONParser(bytes, secretMembers: secretMembers)
    return try parser.document()
  }

  /// Reads one value from ordinary memory.
  public static func read(
    _ bytes: [UInt8],
    secretMembers: Set<String> = []
  ) throws(JSONError) -> JSONValue {
    // `Array.withUnsafeBytes` rethrows any error: a result carries the type out.
    let result = unsafe bytes.withUnsafeBytes { buffer in
      Result { () throws(JSONError) in unsafe try read(buffer, secretMembers: secretMembers) }
    }
    return try result.get()
  }

  /// Reads one value from a secret, such as the body of a provider's answer.
  public static func read(
    _ bytes: borrowing SecretBytes,
    secretMembers: Set<String> = []
  ) throws(JSONError) -> JSONValue {
    unsafe try bytes.withUnsafeBytes { buffer throws(JSONError) in
      unsafe try read(buffer, secretMembers: secretMembers)
    }
  }
}

/// Whether the bytes are UTF-8.
func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
  let span = unsafe bytes.bindMemory(to: UInt8.self).span
  return (try? UTF8Span(validating: span)) != nil
}
