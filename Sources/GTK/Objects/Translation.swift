internal import CAdwaita
internal import Glibc
internal import Synchronization

/// The language of the person, by gettext(3).
package enum Translation {
  static let domain = "thumblatch"
  private static let change = Mutex<(@Sendable (String) -> String)?>(nil)

  /// Reads the language from the environment, and the catalogs from a directory.
  ///
  /// It comes before the first text. GTK shows its own texts in a language only if the app has a
  /// catalog of it: `g_dgettext` compares with the usual domain. (setlocale(3), bindtextdomain(3))
  package static func begin(in directory: String?) {
    unsafe setlocale(LC_ALL, "")
    if let directory { unsafe bindtextdomain(domain, directory) }
    unsafe bind_textdomain_codeset(domain, "UTF-8")
    unsafe textdomain(domain)
  }

  /// The numbers of the errors of the system, by their English texts.
  private static let errors: [String: Int32] = {
    var found: [String: Int32] = [:]
    // errno-base.h and errno.h of Linux.
    for code: Int32 in 1...133 {
      if let text = unsafe strerrordesc_np(code) { unsafe found[String(cString: text)] = code }
    }
    return found
  }()

  /// The text of the C library for an error of the system, which another program tells in English.
  ///
  /// `nil` for another text, and if the C library has no other text in this language.
  /// (strerror(3))
  package static func ofSystem(_ english: String) -> String? {
    guard let code = errors[english], let text = unsafe strerror(code) else { return nil }
    let translated = unsafe String(cString: text)
    return translated == english ? nil : translated
  }

  /// Sets a function that is applied to each text after its translation.
  ///
  /// A text can be put into another text, so the function must leave a changed text as it is.
  package static func setChange(_ change: @escaping @Sendable (String) -> String) {
    self.change.withLock { $0 = change }
  }

  /// Applies that function to a text.
  package static func changed(_ text: String) -> String {
    change.withLock { $0 }?(text) ?? text
  }
}

/// A text in the language of the person.
///
/// - Parameters:
///   - text: the English text, as a literal: `Scripts/translations` finds it in the source.
///   - values: what is put in for each `%s`, one after the other.
/// - Returns: the translation, or the English text if there is none.
package func tr(_ text: String, _ values: String...) -> String {
  filled(translation(of: text), "%s", values)
}

private func translation(of text: String) -> String {
  // The translation of the empty text is the header of the catalog.
  guard !text.isEmpty else { return text }
  // Without a translation, the answer is the pointer to the English text. (g_dgettext(3))
  let found = unsafe text.withCString { english in
    unsafe g_dgettext(Translation.domain, english).map { unsafe String(cString: $0) }
  }
  return found ?? text
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

/// The form of a text that the app gets in English, such as `scope %s`.
///
/// `Scripts/translations` finds it in the source, as it finds the texts of `tr`.
package struct TextForm: Sendable {
  private let english: String

  /// Makes a form of an English text, as a literal, with `%s` for each value.
  package init(_ english: String) { self.english = english }

  /// A text of this form in the language of the person; `nil` for another text.
  ///
  /// If a value contains the words between two values, the text does not show where the value ends.
  /// Such a text counts as another one.
  ///
  /// - Parameters:
  ///   - text: the English text.
  ///   - translate: translates each value.
  /// - Returns: the translation, or the English text if there is none.
  package func translated(
    _ text: String,
    _ translate: (String) -> String = { $0 }
  ) -> String? {
    guard let values = values(in: text) else { return nil }
    return filled(translation(of: english), "%s", values.map(translate))
  }

  /// Whether the translation begins with the first value.
  package var beginsWithValue: Bool { translation(of: english).hasPrefix("%s") }

  /// The values in a text, none of which is empty; `nil` if it has another form.
  private func values(in text: String) -> [String]? {
    var pieces = english.split(separator: "%s", omittingEmptySubsequences: false)
    var rest = Substring(text).utf8
    let begin = pieces.removeFirst().utf8
    guard rest.starts(with: begin) else { return nil }
    rest = rest.dropFirst(begin.count)
    guard let end = pieces.popLast()?.utf8 else { return rest.isEmpty ? [] : nil }
    guard rest.count >= end.count, rest.suffix(end.count).elementsEqual(end) else { return nil }
    rest = rest.dropLast(end.count)
    var values: [String] = []
    for piece in pieces {
      let places = rest.ranges(of: piece.utf8)
      guard let place = places.first, places.count == 1 else { return nil }
      values.append(String(Substring(rest[..<place.lowerBound])))
      rest = rest[place.upperBound...]
    }
    values.append(String(Substring(rest)))
    return values.contains("") ? nil : values
  }
}

/// Puts values in for a mark, one after the other; a mark in a value stays.
private func filled(_ text: String, _ mark: String, _ values: [String]) -> String {
  var (result, rest) = ("", text[...])
  for value in values {
    guard let place = rest.firstRange(of: mark) else { break }
    result += rest[..<place.lowerBound] + value
    rest = rest[place.upperBound...]
  }
  return Translation.changed(result + rest)
}
