internal import GTK

/// The errors of other rooms and their remedies, in the language of the person.
///
/// The other rooms write them in English, and `Scripts/translations` reads their sources. The C
/// library translates errors of the system. A text of another form stays as it is, such as a
/// command.
enum ErrorWords {
  /// The most errors within each other, and the most names before an error.
  ///
  /// It limits the time that a long text costs.
  private static let mostParts = 5

  private static let all =
    flaws + backup + leftOut + unclearAnswers + store + storeRemedies + vault + keys + keyRemedies
    + settings + rules + client + backupFiles

  /// An error, or what to do about it.
  static func clause(_ text: String) -> String { translated(text).text }

  /// The same, with what it begins with.
  static func translated(_ text: String) -> Clause {
    translated(text, mostParts) ?? Clause(text, .unknown)
  }

  /// The flaw of a file, after the file's name; `nil` for another text.
  static func flaw(_ text: String) -> Clause? {
    guard let end = text.firstRange(of: ": ") else { return nil }
    return Clause(english: String(text[end.upperBound...]), flaws)
      .map { Clause(text[..<end.upperBound] + $0.text, .name) }
  }

  private static func translated(_ text: String, _ parts: Int) -> Clause? {
    guard parts > 0 else { return nil }
    let found = Clause(english: text, all) {
      translated($0, parts - 1) ?? Clause($0, .unknown)
    }
    return found ?? Translation.ofSystem(text).map { Clause($0) } ?? named(text, parts)
  }

  /// An error after the name of what it is about, such as a file and its line.
  private static func named(_ text: String, _ parts: Int) -> Clause? {
    guard let end = text.firstRange(of: ": "),
      let error = translated(String(text[end.upperBound...]), parts - 1)
    else { return nil }
    let name = String(text[..<end.lowerBound])
    let subject = translated(name, parts - 1) ?? Clause(name, .name)
    return Clause(subject.text + ": " + error.text, subject.start)
  }
}
