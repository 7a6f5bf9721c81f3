internal import PlainText
internal import SecretMemory

/// Strings: first checked and measured, then written once to their final location.
extension JSONParser {
  /// The string that starts here; `unusable` if a program should not process it.
  mutating func string() throws(JSONError) -> JSONValue {
    let start = position + 1
    let (count, isUsable) = try scanString()
    guard isUsable else { return .unusable }
    let text = unescaped(from: start, count: count)
    guard text.utf8.count <= rules.longestMixedText || text.utf8.allSatisfy({ $0 < 0x80 }),
      text.isStreamSafe
    else { return .unusable }
    return .string(text)
  }

  /// A string that `scanString` has measured.
  func unescaped(from start: Int, count: Int) -> String {
    unsafe String(unsafeUninitializedCapacity: count) { room in
      unsafe unescape(from: start, into: UnsafeMutableRawBufferPointer(room))
    }
  }

  /// The secret that starts here; `unusable` if it is nested and cannot be kept, and the rules keep
  /// the rest of the document.
  mutating func secret() throws(JSONError) -> JSONValue {
    let isLeftOut = rules.keepsRest && depth > 1
    let most = isLeftOut ? rules.mostNestedSecrets : JSONReader.maximumSecrets
    let start = position + 1
    // An invalid secret of the outermost object is an error: otherwise the answer would seem to
    // have none.
    let (count, isUsable) = try scanString()
    if isLeftOut, !isUsable || secrets >= most { return .unusable }
    guard secrets < most else { throw .tooManySecrets }
    guard isUsable else { throw .unusableSecret(offset: start - 1) }
    secrets += 1
    do throws(SecretMemoryError) {
      return .secret(
        SharedSecret(
          unsafe try SecretBytes(capacity: count) { room in
            unsafe unescape(from: start, into: room)
          }
        )
      )
    } catch {
      throw .memory(error)
    }
  }

  /// Checks and skips the string that starts here.
  ///
  /// It returns the unescaped length, and whether the string is text: false only if the rules keep
  /// the rest of the document, or allow faulty text.
  mutating func scanString() throws(JSONError) -> (count: Int, isUsable: Bool) {
    position += 1
    let start = position
    var count = 0
    var isUsable = true
    while true {
      guard let next = byte(at: position) else { throw .truncated }
      switch next {
      case UInt8(ascii: "\""):
        position += 1
        return (count, isUsable && (isText || isUTF8(from: start)))
      case UInt8(ascii: "\\"):
        if let length = try scanEscape() { count += length } else { isUsable = false }
      case 0..<0x20 where rules.allowsFaultyText:
        isUsable = false
        position += 1
      case 0:
        throw .containsNUL
      case 1..<0x20:
        throw .unexpected(offset: position)
      default:
        position += 1
        count += 1
      }
    }
  }

  /// Whether the bytes of the string that ends here are UTF-8.
  private func isUTF8(from start: Int) -> Bool {
    unsafe UnsafeRawBufferPointer(rebasing: text[start..<position - 1]).isText
  }

  /// Skips an escape and returns its length in UTF-8.
  ///
  /// `nil` if it is not a valid character and the rules keep the rest of the document.
  private mutating func scanEscape() throws(JSONError) -> Int? {
    let start = position
    guard let letter = byte(at: position + 1) else { throw .truncated }
    if shortEscape(letter) != nil {
      position += 2
      return 1
    }
    guard letter == UInt8(ascii: "u") else { throw .unexpected(offset: position + 1) }
    let unit = try scanUnit()
    switch unit {
    case 0: return try unusable(.containsNUL)
    case 1..<0x80: return 1
    case 0x80..<0x800: return 2
    case 0xD800..<0xDC00: return try scanLowSurrogate(start)
    case 0xDC00..<0xE000: return try unusable(.loneSurrogate(offset: start))
    default: return 3
    }
  }

  /// Skips the second half of a surrogate pair whose first half began at `start`.
  private mutating func scanLowSurrogate(_ start: Int) throws(JSONError) -> Int? {
    guard let backslash = byte(at: position) else { throw .truncated }
    guard backslash == UInt8(ascii: "\\") else {
      return try unusable(.loneSurrogate(offset: start))
    }
    guard let letter = byte(at: position + 1) else { throw .truncated }
    guard letter == UInt8(ascii: "u") else { return try unusable(.loneSurrogate(offset: start)) }
    let before = position
    guard (0xDC00..<0xE000).contains(try scanUnit()) else {
      // The following escape is a separate one.
      position = before
      return try unusable(.loneSurrogate(offset: start))
    }
    return 4
  }

  /// `nil` if the rules drop an unusable value and keep the rest of the document.
  private func unusable(_ error: JSONError) throws(JSONError) -> Int? {
    guard rules.keepsRest else { throw error }
    return nil
  }

  /// Skips `\uXXXX`.
  private mutating func scanUnit() throws(JSONError) -> UInt32 {
    for index in position + 2..<position + 6 {
      guard let digit = byte(at: index) else { throw .truncated }
      guard hexadecimal(digit) != nil else { throw .unexpected(offset: index) }
    }
    defer { position += 6 }
    return unit(at: position + 2)
  }

  /// Four hexadecimal digits.
  private func unit(at start: Int) -> UInt32 {
    var unit: UInt32 = 0
    for index in start..<start + 4 {
      unit = unit << 4 | UInt32(byte(at: index).flatMap(hexadecimal) ?? 0)
    }
    return unit
  }

  /// Writes the string that starts here, already checked and measured by `scanString`.
  private func unescape(from start: Int, into room: UnsafeMutableRawBufferPointer) -> Int {
    var source = start
    var count = 0
    func put(_ byte: UInt32) {
      guard count < room.count else { return }
      unsafe room[count] = UInt8(truncatingIfNeeded: byte)
      count += 1
    }
    while let next = byte(at: source), next != UInt8(ascii: "\"") {
      guard next == UInt8(ascii: "\\") else {
        put(UInt32(next))
        source += 1
        continue
      }
      if let letter = byte(at: source + 1), let short = shortEscape(letter) {
        put(UInt32(short))
        source += 2
        continue
      }
      var scalar = unit(at: source + 2)
      source += 6
      if (0xD800..<0xDC00).contains(scalar) {
        scalar = 0x10000 + (scalar - 0xD800) << 10 + (unit(at: source + 2) & 0x3FF)
        source += 6
      }
      switch scalar {
      case ..<0x80: put(scalar)
      case ..<0x800:
        put(0xC0 | scalar >> 6)
        put(0x80 | scalar & 0x3F)
      case ..<0x10000:
        put(0xE0 | scalar >> 12)
        put(0x80 | scalar >> 6 & 0x3F)
        put(0x80 | scalar & 0x3F)
      default:
        put(0xF0 | scalar >> 18)
        put(0x80 | scalar >> 12 & 0x3F)
        put(0x80 | scalar >> 6 & 0x3F)
        put(0x80 | scalar & 0x3F)
      }
    }
    return count
  }

  private func shortEscape(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  private func hexadecimal(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
