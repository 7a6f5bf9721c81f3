internal import CAdwaita
internal import Glibc

/// The language of the person, by gettext(3).
package enum Translation {
  static let domain = "thumblatch"

  /// Takes the language from the environment, and the catalogs from a directory.
  ///
  /// It comes before the first text. GTK shows its own texts in a language only if the app has a catalog
  /// of it: `g_dgettext` compares with the usual domain. (setlocale(3), bindtextdomain(3))
  package static func begin(in directory: String?) {
    unsafe setlocale(LC_ALL, "")
    if let directory { unsafe bindtextdomain(domain, directory) }
    unsafe bind_textdomain_codeset(domain, "UTF-8")
    unsafe textdomain(domain)
  }
}

/// A text in the language of the person.
///
/// - Parameters:
///   - text: the English text, as a literal: `Scripts/translations` finds it in the source.
///   - values: what is put in for each `%s`, one after the other.
/// - Returns: the translation, or the English text if there is none.
package func tr(_ text: String, _ values: String...) -> String {
  // The translation of the empty text is the header of the catalog.
  guard !text.isEmpty else { return text }
  // Without a translation, the answer is the pointer to the English text. (g_dgettext(3))
  let found = unsafe text.withCString { english in
    unsafe g_dgettext(Translation.domain, english).map { unsafe String(cString: $0) }
  }
  return filled(found ?? text, "%s", values)
}

/// A text with a number in the language of the person, which may have several plural forms.
///
/// - Parameters:
///   - one: the English text for 1, as a literal.
///   - many: the English text for other numbers, as a literal.
///   - count: the number, which is put in for `%d`.
///   - values: what is put in for each `%s`, one after the other.
/// - Returns: the translation, or the English text if there is none.
package func ntr(_ one: String, _ many: String, _ count: Int, _ values: String...) -> String {
  let number = UInt(bitPattern: max(0, count))
  let found = unsafe one.withCString { one in
    unsafe many.withCString { many in
      unsafe g_dngettext(Translation.domain, one, many, number).map { unsafe String(cString: $0) }
    }
  }
  // The number comes first: a value may contain `%d`.
  return filled(filled(found ?? many, "%d", ["\(count)"]), "%s", values)
}

/// Puts values in for a mark, one after the other; a mark in a value stays.
private func filled(_ text: String, _ mark: String, _ values: [String]) -> String {
  var (result, rest) = ("", text[...])
  for value in values {
    guard let place = rest.firstRange(of: mark) else { break }
    result += rest[..<place.lowerBound] + value
    rest = rest[place.upperBound...]
  }
  return result + rest
}
