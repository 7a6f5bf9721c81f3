package import SecretMemory

/// The only writer of JSON text: no white space, members in order.
///
/// `JSONReader` reads the result back as the same value; `unusable` becomes `null`.
package enum JSONWriter {
  /// Writes a value to ordinary memory.
  ///
  /// Throws `secretInOrdinaryMemory` if the value holds a secret; `tooDeep`, `tooManyContainers`,
  /// `containsNUL` and `numberOutOfRange` for values that the reader would refuse.
  package static func write(_ value: JSONValue) throws(JSONError) -> [UInt8] {
    var sink = ArraySink()
    try put(value, depth: 0, into: &sink)
    try demandReadable(value, sink.bytes.count)
    return sink.bytes
  }

  /// Writes a value with secrets to locked memory, without any other copy.
  ///
  /// The bytes of `terminator` follow the text. Throws as `write` does, and `notText` if a secret
  /// is not UTF-8, `memory` if the text is longer than a secret may be.
  package static func writeSecret(
    _ value: JSONValue,
    terminator: [UInt8] = []
  ) throws(JSONError) -> SecretBytes {
    var measure = CountingSink()
    try put(value, depth: 0, into: &measure)
    let count = measure.count
    try demandReadable(value, count)
    guard count <= SecretBytes.maximumCount else { throw .memory(.tooLong(count)) }
    do {
      return unsafe try SecretBytes(capacity: count + terminator.count) { room in
        var sink = unsafe BufferSink(room)
        try put(value, depth: 0, into: &sink)
        for byte in terminator { sink.put(byte) }
        return sink.count
      }
    } catch let error as JSONError {
      throw error
    } catch let error as SecretMemoryError {
      throw .memory(error)
    } catch {
      throw .memory(.tooLong(count))
    }
  }

  /// Refuses a value with more arrays and objects than the reader accepts in a text of `count`
  /// bytes.
  ///
  /// A text with white space, or with long forms of numbers, may have had more of them.
  private static func demandReadable(_ value: JSONValue, _ count: Int) throws(JSONError) {
    let most = JSONReader.maximumContainers(ofBytes: count)
    // Each has at least two bytes, so a short text cannot have too many.
    guard count / 2 <= most || containers(in: value) <= most else { throw .tooManyContainers }
  }

  /// How many arrays and objects a value has.
  private static func containers(in value: JSONValue) -> Int {
    switch value {
    case .array(let elements): elements.reduce(1) { $0 + containers(in: $1) }
    case .object(let object): object.members.reduce(1) { $0 + containers(in: $1.value) }
    default: 0
    }
  }

  private static func put(
    _ value: JSONValue,
    depth: Int,
    into sink: inout some ByteSink
  ) throws(JSONError) {
    switch value {
    case .null, .unusable: sink.put("null")
    case .boolean(let truth): sink.put(truth ? "true" : "false")
    case .integer(let integer): sink.put(String(integer))
    case .number(let number):
      guard number.isFinite else { throw .numberOutOfRange }
      sink.put(number.description)
    case .string(let text): try put(text, into: &sink)
    case .secret(let secret):
      guard sink.mayHoldSecrets else { throw .secretInOrdinaryMemory }
      try put(secret.bytes, into: &sink)
    case .array(let elements):
      guard depth < JSONReader.maximumDepth else { throw .tooDeep }
      sink.put(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { sink.put(UInt8(ascii: ",")) }
        try put(element, depth: depth + 1, into: &sink)
      }
      sink.put(UInt8(ascii: "]"))
    case .object(let object):
      guard depth < JSONReader.maximumDepth else { throw .tooDeep }
      sink.put(UInt8(ascii: "{"))
      for (index, member) in object.members.enumerated() {
        if index > 0 { sink.put(UInt8(ascii: ",")) }
        try put(member.name, into: &sink)
        sink.put(UInt8(ascii: ":"))
        try put(member.value, depth: depth + 1, into: &sink)
      }
      sink.put(UInt8(ascii: "}"))
    }
  }

  private static func put(_ text: String, into sink: inout some ByteSink) throws(JSONError) {
    sink.put(UInt8(ascii: "\""))
    for byte in text.utf8 { try putEscaped(byte, into: &sink) }
    sink.put(UInt8(ascii: "\""))
  }

  private static func put(
    _ secret: borrowing SecretBytes,
    into sink: inout some ByteSink
  ) throws(JSONError) {
    sink.put(UInt8(ascii: "\""))
    guard secret.isText else { throw .notText }
    unsafe try secret.withUnsafeBytes { bytes throws(JSONError) in
      for index in 0..<bytes.count { unsafe try putEscaped(bytes[index], into: &sink) }
    }
    sink.put(UInt8(ascii: "\""))
  }

  /// Escapes quotation mark, reverse solidus and control characters (RFC 8259, section 7).
  private static func putEscaped(_ byte: UInt8, into sink: inout some ByteSink) throws(JSONError) {
    switch byte {
    case UInt8(ascii: "\""): sink.put("\\\"")
    case UInt8(ascii: "\\"): sink.put("\\\\")
    case 0x08: sink.put("\\b")
    case 0x09: sink.put("\\t")
    case 0x0A: sink.put("\\n")
    case 0x0C: sink.put("\\f")
    case 0x0D: sink.put("\\r")
    case 0: throw .containsNUL
    case 1..<0x20:
      sink.put(byte < 0x10 ? "\\u000" : "\\u001")
      let digit = byte & 0x0F
      sink.put(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    default: sink.put(byte)
    }
  }
}
