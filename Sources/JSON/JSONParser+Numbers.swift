/// Numbers.
extension JSONParser {
  /// The most bytes of one number: 17 digits tell every `Double` from the others.
  private static let maximumNumber = 512

  mutating func number() throws(JSONError) -> JSONValue {
    let start = position
    var isInteger = true
    if byte(at: position) == UInt8(ascii: "-") { position += 1 }
    if byte(at: position) == UInt8(ascii: "0") {
      position += 1
    } else {
      try digits()
    }
    if byte(at: position) == UInt8(ascii: ".") {
      isInteger = false
      position += 1
      try digits()
    }
    if let letter = byte(at: position), letter == UInt8(ascii: "e") || letter == UInt8(ascii: "E") {
      isInteger = false
      position += 1
      if let sign = byte(at: position), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
        position += 1
      }
      try digits()
    }
    guard position - start <= Self.maximumNumber else { throw .numberOutOfRange }
    let word = unsafe String(decoding: text[start..<position], as: UTF8.self)
    if isInteger, let integer = Int64(word) { return .integer(integer) }
    guard let number = Double(word), number.isFinite else { throw .numberOutOfRange }
    return .number(number)
  }

  /// Steps over one or more digits.
  private mutating func digits() throws(JSONError) {
    let start = position
    while let next = byte(at: position), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) {
      position += 1
    }
    guard position == start else { return }
    guard position < count else { throw .truncated }
    throw .unexpected(offset: position)
  }
}
