internal import CSystemd
internal import Glibc
internal import SecretMemory

// The values of a message of any form, for a program that serves calls.
extension BusMessage {
  /// The most values that a message may have, those in containers included.
  private static let mostValues = 4096
  /// The most bytes that all texts of a message may have.
  private static let mostText = 64 * 1024

  /// The remaining limits.
  private struct Budget {
    var values = mostValues
    var text = mostText
  }

  /// All values of the message, in order.
  ///
  /// Arrays of bytes count as secrets: libsystemd clears the message when it is freed.
  ///
  /// - Throws: `tooLong`, or `notUnderstood` for an unsupported type.
  package func values() throws(BusError) -> [BusValue] {
    _ = unsafe functions.pointee.message_sensitive(message)
    var budget = Budget()
    return try remaining(&budget)
  }

  /// The values up to the end of the message or of the container.
  private func remaining(_ budget: inout Budget) throws(BusError) -> [BusValue] {
    var values: [BusValue] = []
    while true {
      var type: CChar = 0
      var contents: UnsafePointer<CChar>?
      let code = unsafe functions.pointee.message_peek_type(message, &type, &contents)
      guard code >= 0 else { throw .notUnderstood }
      guard code > 0 else { return values }
      budget.values -= 1
      guard budget.values >= 0 else { throw .tooLong }
      let inner = unsafe contents.map { unsafe String(cString: $0) } ?? ""
      values.append(try value(Character(Unicode.Scalar(UInt8(bitPattern: type))), inner, &budget))
    }
  }

  private func value(
    _ type: Character,
    _ contents: String,
    _ budget: inout Budget
  ) throws(BusError) -> BusValue {
    switch type {
    case "s": return .text(try text("s", &budget))
    case "o": return .path(try text("o", &budget))
    case "y":
      var value: UInt8 = 0
      unsafe try read(type, &value)
      return .byte(value)
    case "u": return .number(try number())
    case "i":
      var value: Int32 = 0
      unsafe try read(type, &value)
      return .signed(value)
    case "t":
      var value: UInt64 = 0
      unsafe try read(type, &value)
      return .wide(value)
    case "b": return .boolean(try boolean())
    case "a" where contents == "y": return .bytes(try secret())
    case "a", "r", "e", "v":
      guard try enter(type, contents) else { throw .notUnderstood }
      let values = try remaining(&budget)
      try leave()
      return try Self.container(type, contents, values)
    default: throw .notUnderstood
    }
  }

  private static func container(
    _ type: Character,
    _ contents: String,
    _ values: [BusValue]
  ) throws(BusError) -> BusValue {
    switch type {
    case "a": return .array(contents, values)
    case "r": return .structure(values)
    case "e" where values.count == 2: return .entry(values[0], values[1])
    case "v" where values.count == 1: return .variant(values[0])
    default: throw .notUnderstood
    }
  }

  private func text(_ type: Character, _ budget: inout Budget) throws(BusError) -> String {
    var value: UnsafePointer<CChar>?
    unsafe try read(type, &value)
    guard let found = unsafe value else { throw .notUnderstood }
    budget.text -= unsafe strlen(found)
    guard budget.text >= 0 else { throw .tooLong }
    return unsafe String(cString: found)
  }

  /// An array of bytes.
  private func secret() throws(BusError) -> SharedSecret {
    var start: UnsafeRawPointer?
    var count = 0
    guard unsafe functions.pointee.message_read_array(message, Self.code("y"), &start, &count) >= 0
    else { throw .notUnderstood }
    guard count <= SecretBytes.maximumCount else { throw .tooLong }
    do throws(SecretMemoryError) {
      let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
      return SharedSecret(unsafe try SecretBytes(copying: bytes))
    } catch {
      throw .tooLong
    }
  }
}
