/// Makes text from outside safe for a terminal.
///
/// Otherwise a provider, a program's name or an account's facts could move the cursor, recolour the
/// prompt, or reverse the line's direction. So they could forge what a person confirms (Trojan
/// Source, CVE-2021-42574; escape sequences, CWE-150).
package enum PlainText {
  /// The most scalars of one shown text.
  package static let maximumLength = 300
  /// The most marks on one letter.
  static let maximumMarks = 3

  /// The text with control, format, private and unassigned characters written as `\u{...}`,
  /// truncated after `limit` scalars.
  package static func line(_ text: String, limit: Int = maximumLength) -> String {
    var plain = ""
    var count = 0
    var marks = 0
    for scalar in text.unicodeScalars {
      guard count < limit else { return plain + "..." }
      count += 1
      marks = isMark(scalar) ? marks + 1 : 0
      if isHarmless(scalar) && marks <= maximumMarks {
        plain.unicodeScalars.append(scalar)
      } else {
        plain += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      }
    }
    return plain
  }

  /// Equivalent JSON text, with such characters written as `\uXXXX` (RFC 8259, section 7).
  ///
  /// They can occur only in strings, where a writer need not escape non-ASCII characters.
  package static func json(_ text: String) -> String {
    var plain = ""
    for scalar in text.unicodeScalars {
      if isHarmless(scalar) {
        plain.unicodeScalars.append(scalar)
        continue
      }
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16)
        plain += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return plain
  }

  /// The columns that safe text takes; wide East Asian letters and pictures take two.
  package static func width(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { sum, scalar in sum + columns(of: scalar) }
  }

  /// Text truncated to a number of columns, with `...` for the missing part.
  package static func fitted(_ text: String, columns: Int) -> String {
    guard width(text) > columns else { return text }
    guard columns > 3 else { return String(repeating: ".", count: max(0, columns)) }
    var fitted = ""
    var used = 0
    for scalar in text.unicodeScalars {
      let next = Self.columns(of: scalar)
      guard used + next <= columns - 3 else { break }
      fitted.unicodeScalars.append(scalar)
      used += next
    }
    return fitted + "..."
  }

  /// Text wrapped at spaces into lines of at most a number of columns.
  ///
  /// U+00A0 keeps words together and becomes a space.
  ///
  /// - Parameters:
  ///   - text: the text to wrap.
  ///   - columns: the most columns of a line.
  ///   - breaksWords: whether to break a word that is wider than a line; otherwise its line is
  ///     wider.
  /// - Returns: the lines.
  package static func wrapped(_ text: String, columns: Int, breaksWords: Bool = false) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty && width(line) + 1 + width(String(word)) > columns {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " " + word
      if breaksWords && width(line) > columns {
        var pieces = broken(line, columns: columns)
        line = pieces.removeLast()
        lines += pieces
      }
    }
    return (line.isEmpty ? lines : lines + [line]).map { $0.replacing("\u{A0}", with: " ") }
  }

  /// A word in pieces of at most a number of columns; at least one piece.
  private static func broken(_ word: String, columns: Int) -> [String] {
    var pieces = [""]
    var used = 0
    for scalar in word.unicodeScalars {
      let next = Self.columns(of: scalar)
      if used + next > columns && used > 0 {
        pieces.append("")
        used = 0
      }
      pieces[pieces.count - 1].unicodeScalars.append(scalar)
      used += next
    }
    return pieces
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F }
    // These are invisible although they are neither control nor format characters.
    if scalar.properties.isDefaultIgnorableCodePoint { return false }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate,
      .unassigned:
      return false
    default:
      return true
    }
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return false }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .spacingMark: return true
    default: return false
    }
  }

  private static func columns(of scalar: Unicode.Scalar) -> Int {
    if scalar.isASCII { return 1 }
    if isMark(scalar) { return 0 }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
