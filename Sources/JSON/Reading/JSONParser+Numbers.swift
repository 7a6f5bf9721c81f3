extension JSONParser {
  /// The most bytes of one number: 17 digits identify every `Double`.
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
    if position - start <= Self.maximumNumber {
      if isInteger, let integer = shortInteger(from: start) { return .integer(integer) }
      let word = unsafe String(decoding: text[start..<position], as: UTF8.self)
      if isInteger, let integer = Int64(word) { return .integer(integer) }
      if let number = Double(word), number.isFinite { return .number(number) }
    }
    guard rules.keepsRest else { throw .numberOutOfRange }
    return .unusable
  }

  /// The integer from `start` to here; up to 18 digits cannot overflow.
  private func shortInteger(from start: Int) -> Int64? {
    let isNegative = byte(at: start) == UInt8(ascii: "-")
    let first = isNegative ? start + 1 : start
    guard position - first <= 18 else { return nil }
    var value: Int64 = 0
    for index in first..<position {
      value = value * 10 + Int64((byte(at: index) ?? 0) - UInt8(ascii: "0"))
    }
    return isNegative ? -value : value
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
