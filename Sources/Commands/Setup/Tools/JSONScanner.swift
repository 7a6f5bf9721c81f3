/// Skips the values of a JSON text (RFC 8259) of any length.
struct JSONScanner {
  private static let deepest = 200

  private let bytes: [UInt8]
  var position: Int

  init(_ bytes: [UInt8], at position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  /// The next byte that is not white space; it is not consumed.
  var next: UInt8? {
    mutating get {
      while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) {
        position += 1
      }
      return position < bytes.count ? bytes[position] : nil
    }
  }

  /// Skips one value.
  mutating func skipValue(depth: Int = 0) throws(JSONEdit.Problem) {
    guard depth < Self.deepest else { throw .notJSON }
    switch next {
    case UInt8(ascii: "\"")?: try skipString()
    case UInt8(ascii: "{")?: try skipMembers(until: UInt8(ascii: "}"), depth: depth)
    case UInt8(ascii: "[")?: try skipMembers(until: UInt8(ascii: "]"), depth: depth)
    case let byte? where Self.isWord(byte):
      while position < bytes.count, Self.isWord(bytes[position]) { position += 1 }
    default: throw .notJSON
    }
  }

  /// Skips a string with its quotation marks.
  mutating func skipString() throws(JSONEdit.Problem) {
    guard next == UInt8(ascii: "\"") else { throw .notJSON }
    position += 1
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return
      case UInt8(ascii: "\\"): position += 2
      case ..<0x20: throw .notJSON
      default: position += 1
      }
    }
    throw .notJSON
  }

  private mutating func skipMembers(until end: UInt8, depth: Int) throws(JSONEdit.Problem) {
    let hasNames = end == UInt8(ascii: "}")
    position += 1
    if next == end {
      position += 1
      return
    }
    while true {
      if hasNames {
        try skipString()
        guard next == UInt8(ascii: ":") else { throw .notJSON }
        position += 1
      }
      try skipValue(depth: depth + 1)
      switch next {
      case end?:
        position += 1
        return
      case UInt8(ascii: ",")?: position += 1
      default: throw .notJSON
      }
    }
  }

  /// Whether a byte belongs to a number, or to `true`, `false` or `null`.
  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "E"):
      true
    default: false
    }
  }
}
