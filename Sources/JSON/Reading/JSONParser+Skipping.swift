/// Values that are stepped over: nothing is made of them.
extension JSONParser {
  /// Steps over one value, which must be JSON.
  ///
  /// It does not call itself, because the depth of a value that is skipped has no limit. Each byte is
  /// looked at once. An open array or object takes one byte of memory.
  mutating func skipValue() throws(JSONError) {
    // What closes each array or object that is open, from the outermost.
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
      // A value ends here, and with it each array or object whose last one it is.
      while let bracket = closing.last {
        guard try isLast(bracket) else {
          if bracket == UInt8(ascii: "}") { try skipName() }
          break
        }
        closing.removeLast()
      }
    } while !closing.isEmpty
  }

  /// Steps over the name of a member and its colon.
  private mutating func skipName() throws(JSONError) {
    guard try peek() == UInt8(ascii: "\"") else { throw .unexpected(offset: position) }
    _ = try scanString()
    try skipColon()
  }
}
