/// The rule for names of accounts and providers: `[a-z0-9][a-z0-9._-]{0,63}`.
///
/// A name becomes a file name, so it can form neither a path, nor `@`, nor a hidden file.
package enum NameRule {
  /// The most bytes of a name.
  package static let longest = 64

  /// Whether the text is a name; it is read in place.
  package static func accepts(_ text: borrowing Span<UInt8>) -> Bool {
    guard text.count >= 1, text.count <= longest, isLetterOrDigit(text[0]) else { return false }
    for index in 1..<text.count where !isOfName(text[index]) { return false }
    return true
  }

  package static func accepts(_ text: String) -> Bool { accepts(text.utf8.span) }

  /// Whether the byte may follow the first one of a name.
  package static func isOfName(_ byte: UInt8) -> Bool {
    isLetterOrDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: "-")
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
  }
}
