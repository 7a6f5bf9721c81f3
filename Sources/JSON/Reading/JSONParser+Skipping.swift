/// Skipping of values, without creating anything.
extension JSONParser {
  /// Skips one value, which must be valid JSON.
  ///
  /// It is not recursive, because the depth of a skipped value is unlimited. Each byte is examined
  /// once. An open array or object takes one byte of memory.
  mutating func skipValue() throws(JSONError) {
    // The closing bracket of each open array or object, outermost first.
    var closing: [UInt8] = []
    repeat {
      switch try peek() {
      case UInt8(ascii: "{"):
        position += 1
        if try peek() != UInt8(ascii: "}") {
          closing.append(UInt8(ascii: "}"))
          try skipName()
          continue
        }
        position += 1
      case UInt8(ascii: "["):
        position += 1
        if try peek() != UInt8(ascii: "]") {
          closing.append(UInt8(ascii: "]"))
          continue
        }
        position += 1
      case UInt8(ascii: "\""): _ = try scanString()
      default: _ = try scalar()
      }
      // A value ends here. Close each array or object that it was the last value of.
      while let bracket = closing.last {
        guard try isLast(bracket) else {
          if bracket == UInt8(ascii: "}") { try skipName() }
          break
        }
        closing.removeLast()
      }
    } while !closing.isEmpty
  }

  /// Skips the name of a member and its colon.
  private mutating func skipName() throws(JSONError) {
    guard try peek() == UInt8(ascii: "\"") else { throw .unexpected(offset: position) }
    _ = try scanString()
    try skipColon()
  }
}
