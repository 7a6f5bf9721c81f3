internal import CSystemd

/// A value of a call, by its D-Bus type.
package enum BusValue {
  case text(String)
  case byte(UInt8)
  case number(UInt32)
  case signed(Int32)
  case boolean(Bool)
  case texts([String])
  /// An array of entries with variants, `a{sv}`.
  case dictionary([(String, BusValue)])

  private var type: String {
    switch self {
    case .text: "s"
    case .byte: "y"
    case .number: "u"
    case .signed: "i"
    case .boolean: "b"
    case .texts: "as"
    case .dictionary: "a{sv}"
    }
  }

  /// Appends the value to a message; returns a negative error number if that fails.
  func append(
    to message: OpaquePointer,
    _ functions: UnsafePointer<csystemd>
  ) -> Int32 {
    switch self {
    case .text(let text):
      return unsafe functions.pointee.message_append_basic(message, BusMessage.code("s"), text)
    case .byte(var value): return unsafe append("y", &value, to: message, functions)
    case .number(var value): return unsafe append("u", &value, to: message, functions)
    case .signed(var value): return unsafe append("i", &value, to: message, functions)
    case .boolean(let value):
      // "b: int": sd_bus_message_append_basic(3).
      var number: Int32 = value ? 1 : 0
      return unsafe append("b", &number, to: message, functions)
    case .texts(let texts):
      return unsafe contain("a", "s", in: message, functions) {
        unsafe Self.appendAll(texts.map { .text($0) }, to: message, functions)
      }
    case .dictionary(let entries):
      return unsafe contain("a", "{sv}", in: message, functions) {
        var code: Int32 = 0
        for (key, value) in entries where code >= 0 {
          code = unsafe contain("e", "sv", in: message, functions) {
            let code = unsafe BusValue.text(key).append(to: message, functions)
            guard code >= 0 else { return code }
            return unsafe contain("v", value.type, in: message, functions) {
              unsafe value.append(to: message, functions)
            }
          }
        }
        return code
      }
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

  /// Appends a container with what `body` appends.
  private func contain(
    _ type: Character,
    _ contents: String,
    in message: OpaquePointer,
    _ functions: UnsafePointer<csystemd>,
    _ body: () -> Int32
  ) -> Int32 {
    var code = unsafe functions.pointee.message_open_container(
      message,
      BusMessage.code(type),
      contents
    )
    if code >= 0 { code = body() }
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
