extension [UInt8] {
  /// The same text with one of its words, or a text between quotes, replaced by another.
  ///
  /// libFuzzer changes bytes, and needs long to reach another valid number or another word of an
  /// enumeration.
  func reworded(to room: Int, _ dice: inout Dice) -> [UInt8]? {
    let words = words
    guard let word = words.randomElement(using: &dice) else { return nil }
    let other: [UInt8] =
      switch Int.random(in: 0..<4, using: &dice) {
      case 0: words.randomElement(using: &dice).map { Array(self[$0]) } ?? []
      case 1: Array(Self.numbers.randomElement(using: &dice)?.utf8 ?? "".utf8)
      case 2: Array(Self.others.randomElement(using: &dice)?.utf8 ?? "".utf8)
      // Twice, with the preceding byte between them.
      default: Array(self[word]) + self[..<word.lowerBound].suffix(1) + self[word]
      }
    return Array((self[..<word.lowerBound] + other + self[word.upperBound...]).prefix(room))
  }

  private static let numbers = [
    "0", "1", "-1", "7", "200", "65536", "4294967296", "9223372036854775807", "1e300", "0.5",
  ]
  private static let others = [
    "null", "true", "false", "{}", "[]", "\"\"", "\"a\"", "[\"a\",\"b\"]", "{\"k0\":0}", "",
  ]

  /// The ranges of words: letters, digits and signs that join them, with and without quotes.
  private var words: [Range<Int>] {
    var words: [Range<Int>] = []
    var start = 0
    for index in 0...count where index == count || !Self.isOfWord(self[index]) {
      if start < index {
        words.append(start..<index)
        let quote = UInt8(ascii: "\"")
        if start > 0, index < count, self[start - 1] == quote, self[index] == quote {
          words.append(start - 1..<index + 1)
        }
      }
      start = index + 1
    }
    return words
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: "+"), 0x80...:
      true
    default: false
    }
  }
}
