internal import CSystemd
package import SecretMemory

/// A value of a call, by its D-Bus type.
package indirect enum BusValue: Sendable {
  case text(String)
  case path(String)
  case byte(UInt8)
  case number(UInt32)
  case signed(Int32)
  case wide(UInt64)
  case boolean(Bool)
  case texts([String])
  /// An array of bytes, which may be secret.
  case bytes(SharedSecret)
  /// Any other array, with the type of its elements.
  case array(String, [BusValue])
  case structure([BusValue])
  /// An entry of a dictionary, which is an array of them.
  case entry(BusValue, BusValue)
  case variant(BusValue)
  /// An array of entries with variants, `a{sv}`.
  case dictionary([(String, BusValue)])

  package var type: String {
    switch self {
    case .text: "s"
    case .path: "o"
    case .byte: "y"
    case .number: "u"
    case .signed: "i"
    case .wide: "t"
    case .boolean: "b"
    case .texts: "as"
    case .bytes: "ay"
    case .array(let contents, _): "a" + contents
    case .structure(let values): "(\(Self.types(values)))"
    case .entry(let key, let value): "{\(key.type)\(value.type)}"
    case .variant: "v"
    case .dictionary: "a{sv}"
    }
  }

  private static func types(_ values: [BusValue]) -> String { values.map(\.type).joined() }

  /// Appends the value to a message; returns a negative error number if that fails.
  func append(
    to message: OpaquePointer,
    _ functions: UnsafePointer<csystemd>
  ) -> Int32 {
    switch self {
    case .text(let text), .path(let text):
      return unsafe functions.pointee.message_append_basic(
        message,
        BusMessage.code(Character(type)),
        text
      )
    case .byte(var value): return unsafe append("y", &value, to: message, functions)
    case .number(var value): return unsafe append("u", &value, to: message, functions)
    case .signed(var value): return unsafe append("i", &value, to: message, functions)
    case .wide(var value): return unsafe append("t", &value, to: message, functions)
    case .boolean(let value):
      // "b: int": sd_bus_message_append_basic(3).
      var number: Int32 = value ? 1 : 0
      return unsafe append("b", &number, to: message, functions)
    case .bytes(let secret):
      _ = unsafe functions.pointee.message_sensitive(message)
      return unsafe secret.bytes.withUnsafeBytes { bytes in
        unsafe functions.pointee.message_append_array(
          message,
          BusMessage.code("y"),
          bytes.baseAddress,
          bytes.count
        )
      }
    case .texts(let texts):
      return unsafe contain("a", "s", texts.map { .text($0) }, in: message, functions)
    case .array(let contents, let values):
      return unsafe contain("a", contents, values, in: message, functions)
    case .structure(let values):
      return unsafe contain("r", Self.types(values), values, in: message, functions)
    case .entry(let key, let value):
      return unsafe contain("e", key.type + value.type, [key, value], in: message, functions)
    case .variant(let value):
      return unsafe contain("v", value.type, [value], in: message, functions)
    case .dictionary(let entries):
      let values = entries.map { BusValue.entry(.text($0.0), .variant($0.1)) }
      return unsafe contain("a", "{sv}", values, in: message, functions)
    }
  }

  private func append(
    _ type: Character,
    _ value: UnsafeRawPointer,
    to message: OpaquePointer,
    _ functions: UnsafePointer<csystemd>
  ) -> Int32 {
    unsafe functions.pointee.message_append_basic(message, BusMessage.code(type), value)
  }

  /// Appends a container with values.
  private func contain(
    _ type: Character,
    _ contents: String,
    _ values: [BusValue],
    in message: OpaquePointer,
    _ functions: UnsafePointer<csystemd>
  ) -> Int32 {
    var code = unsafe functions.pointee.message_open_container(
      message,
      BusMessage.code(type),
      contents
    )
    if code >= 0 { code = unsafe Self.appendAll(values, to: message, functions) }
    return code < 0 ? code : unsafe functions.pointee.message_close_container(message)
  }

  /// Appends values one after the other; returns a negative error number if that fails.
  static func appendAll(
    _ values: [BusValue],
    to message: OpaquePointer,
    _ functions: UnsafePointer<csystemd>
  ) -> Int32 {
    var code: Int32 = 0
    for value in values where code >= 0 { code = unsafe value.append(to: message, functions) }
    return code
  }
}
