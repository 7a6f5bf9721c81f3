internal import SecretMemory

/// A recursive descent through text that is known to be UTF-8.
///
/// Every look at a byte goes through `byte(at:)`, which knows the end.
@safe
struct JSONParser {
  private let text: UnsafeRawBufferPointer
  private let count: Int
  private let secretMembers: Set<String>
  private var position = 0
  private var depth = 0
  private var secrets = 0

  init(_ text: UnsafeRawBufferPointer, secretMembers: Set<String>) {
    unsafe self.text = text
    count = text.count
    self.secretMembers = secretMembers
  }

  mutating func document() throws(JSONError) -> JSONValue {
    let value = try value(isSecret: false)
    skipSpace()
    guard position == count else { throw .unexpected(offset: position) }
    return value
  }

  private func byte(at index: Int) -> UInt8? {
    guard index >= 0, index < count else { return nil }
    return unsafe text[index]
  }

  private mutating func skipSpace() {
    while let next = byte(at: position),
      next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09
    {
      position += 1
    }
  }

  /// The next byte that is not white space, which stays where it is.
  private mutating func peek() throws(JSONError) -> UInt8 {
    skipSpace()
    guard let next = byte(at: position) else { throw .truncated }
    return next
  }

  private mutating func value(isSecret: Bool) throws(JSONError) -> JSONValue {
    switch try peek() {
    case UInt8(ascii: "{"):
      return try nested { parser throws(JSONError) in
        try parser.object(isSecret: isSecret)
      }
    case UInt8(ascii: "["):
      return try nested { parser throws(JSONError) in
        try parser.array(isSecret: isSecret)
      }
    case UInt8(ascii: "\""): return try isSecret ? .secret(secret()) : .string(string())
    case UInt8(ascii: "t"): return try literal("true", .boolean(true))
    case UInt8(ascii: "f"): return try literal("false", .boolean(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: throw .unexpected(offset: position)
    }
  }

  private mutating func nested(
    _ body: (inout JSONParser) throws(JSONError) -> JSONValue
  ) throws(JSONError) -> JSONValue {
    guard depth < JSONReader.maximumDepth else { throw .tooDeep }
    depth += 1
    defer { depth -= 1 }
    position += 1
    return try body(&self)
  }

  private mutating func array(isSecret: Bool) throws(JSONError) -> JSONValue {
    var elements: [JSONValue] = []
    if try peek() == UInt8(ascii: "]") {
      position += 1
      return .array(elements)
    }
    while true {
      elements.append(try value(isSecret: isSecret))
      if try isLast(UInt8(ascii: "]")) { return .array(elements) }
    }
  }

  private mutating func object(isSecret: Bool) throws(JSONError) -> JSONValue {
    var members: [(name: String, value: JSONValue)] = []
    // A set, because looking through the members each time would take a text of 64 KiB a second.
    var names: Set<String> = []
    if try peek() == UInt8(ascii: "}") {
      position += 1
      return .object(JSONObject())
    }
    while true {
      guard try peek() == UInt8(ascii: "\"") else { throw .unexpected(offset: position) }
      let start = position
      let name = try string()
      guard names.insert(name).inserted else { throw .duplicateMember(offset: start) }
      guard try peek() == UInt8(ascii: ":") else { throw .unexpected(offset: position) }
      position += 1
      members.append((name, try value(isSecret: isSecret || secretMembers.contains(name))))
      if try isLast(UInt8(ascii: "}")) { return .object(JSONObject(unique: members)) }
    }
  }

  /// Steps over a comma (false) or the closing bracket (true).
  private mutating func isLast(_ closing: UInt8) throws(JSONError) -> Bool {
    let next = try peek()
    guard next == closing || next == UInt8(ascii: ",") else {
      throw .unexpected(offset: position)
    }
    position += 1
    return next == closing
  }

  private mutating func literal(
    _ word: StaticString,
    _ value: JSONValue
  ) throws(JSONError) -> JSONValue {
    for index in 0..<word.utf8CodeUnitCount {
      guard let next = byte(at: position) else { throw .truncated }
      guard unsafe next == word.utf8Start[index] else { throw .unexpected(offset: position) }
      position += 1
    }
    return value
  }
}

// MARK: Strings

extension JSONParser {
  private mutating func string() throws(JSONError) -> String {
    let start = position + 1
    let count = try scanString()
    return unsafe String(unsafeUninitializedCapacity: count) { room in
      unsafe unescape(from: start, into: UnsafeMutableRawBufferPointer(room))
    }
  }

  private mutating func secret() throws(JSONError) -> SharedSecret {
    guard secrets < JSONReader.maximumSecrets else { throw .tooManySecrets }
    secrets += 1
    let start = position + 1
    let count = try scanString()
    do throws(SecretMemoryError) {
      return SharedSecret(
        unsafe try SecretBytes(capacity: count) { room in
          unsafe unescape(from: start, into: room)
        }
      )
    } catch {
      throw .memory(error)
    }
  }

  /// Checks the string that starts here, steps over it, and says how long it is unescaped.
  private mutating func scanString() throws(JSONError) -> Int {
    position += 1
    var count = 0
    while true {
      guard let next = byte(at: position) else { throw .truncated }
      switch next {
      case UInt8(ascii: "\""):
        position += 1
        return count
      case UInt8(ascii: "\\"):
        count += try scanEscape()
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

  /// Steps over an escape, and says how many bytes of UTF-8 it stands for.
  private mutating func scanEscape() throws(JSONError) -> Int {
    let start = position
    guard let letter = byte(at: position + 1) else { throw .truncated }
    if shortEscape(letter) != nil {
      position += 2
      return 1
    }
    guard letter == UInt8(ascii: "u") else { throw .unexpected(offset: position + 1) }
    let unit = try scanUnit()
    switch unit {
    case 0: throw .containsNUL
    case 1..<0x80: return 1
    case 0x80..<0x800: return 2
    case 0xD800..<0xDC00:
      guard let backslash = byte(at: position) else { throw .truncated }
      guard backslash == UInt8(ascii: "\\") else { throw .loneSurrogate(offset: start) }
      guard let letter = byte(at: position + 1) else { throw .truncated }
      guard letter == UInt8(ascii: "u") else { throw .loneSurrogate(offset: start) }
      guard (0xDC00..<0xE000).contains(try scanUnit()) else {
        throw .loneSurrogate(offset: start)
      }
      return 4
    case 0xDC00..<0xE000: throw .loneSurrogate(offset: start)
    default: return 3
    }
  }

  /// Steps over `\uXXXX`.
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

  /// Writes the string that starts here, which `scanString` has checked and measured.
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

// MARK: Numbers

extension JSONParser {
  /// The most bytes of one number: 17 digits tell every `Double` from the others.
  private static let maximumNumber = 512

  private mutating func number() throws(JSONError) -> JSONValue {
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
