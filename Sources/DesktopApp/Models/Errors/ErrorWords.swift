internal import GTK

/// The errors of other rooms and their remedies, in the language of the person.
///
/// The other rooms write them in English, and `Scripts/translations` reads their sources. A text of
/// another form stays as it is, such as a text of the system or a command.
enum ErrorWords {
  /// The most errors within each other, and the most names before an error.
  ///
  /// It limits the time that a long text costs.
  private static let mostParts = 5

  private static let all =
    flaws + store + storeRemedies + vault + keys + keyRemedies + settings + rules + client

  /// An error, or what to do about it.
  static func clause(_ text: String) -> String { clause(text, mostParts) }

  /// The flaw of a file, after the file's name; `nil` for another text.
  static func flaw(_ text: String) -> String? {
    guard let end = text.firstRange(of: ": ") else { return nil }
    let rest = String(text[end.upperBound...])
    let found = DetailWords.first(rest, flaws)
    return found == rest ? nil : text[..<end.upperBound] + found
  }

  private static func clause(_ text: String, _ parts: Int) -> String {
    guard parts > 0 else { return text }
    let found = DetailWords.first(text, all) { clause($0, parts - 1) }
    return found == text ? named(text, parts) : found
  }

  /// An error after the name of what it is about, such as a file and its line.
  private static func named(_ text: String, _ parts: Int) -> String {
    guard let end = text.firstRange(of: ": ") else { return text }
    let rest = String(text[end.upperBound...])
    let found = clause(rest, parts - 1)
    guard found != rest else { return text }
    return clause(String(text[..<end.lowerBound]), parts - 1) + ": " + found
  }
}
