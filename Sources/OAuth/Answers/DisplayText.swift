/// Makes a provider's text fit to be shown.
enum DisplayText {
  /// One line of ASCII, at most `most` characters of the text.
  ///
  /// Texts that differ look different.
  static func ascii(_ text: String, most: Int) -> String {
    var shown = ""
    for scalar in text.unicodeScalars.prefix(most) {
      if (" "..."~").contains(scalar) {
        shown.unicodeScalars.append(scalar)
      } else {
        shown += "\\u{" + String(scalar.value, radix: 16) + "}"
      }
    }
    return shown
  }

  /// One line without control or direction characters, at most `most` characters; `nil` if nothing
  /// is left.
  static func of(_ text: String, most: Int) -> String? {
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(most) {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
        shown.append(" ")
      default: shown.append(scalar)
      }
    }
    return shown.allSatisfy { $0 == " " } ? nil : String(shown)
  }
}
