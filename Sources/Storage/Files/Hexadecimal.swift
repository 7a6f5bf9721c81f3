/// Bytes as lower-case hexadecimal digits, the only form in which an id reaches a path.
package enum Hexadecimal {
  private static let digits = [UInt8]("0123456789abcdef".utf8)

  /// Two digits for each byte.
  package static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// The bytes of a text that `text` made; `nil` for other texts.
  package static func bytes(_ text: String) -> [UInt8]? {
    let values = text.utf8.map { digits.firstIndex(of: $0) }
    guard values.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: values.count, by: 2) {
      guard let high = values[index], let low = values[index + 1] else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return bytes
  }
}
