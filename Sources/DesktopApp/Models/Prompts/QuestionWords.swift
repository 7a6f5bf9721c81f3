internal import GTK
internal import TerminalIO

/// The question of a check, in the language of the person.
///
/// The questions and messages of PAM's modules stay as they are.
package enum QuestionWords {
  /// The messages before the question, and the question, as lines that are harmless to show.
  package static func lines(_ text: String) -> String {
    var lines = PresenceText.questionLines(text)
    if let question = lines.popLast() { lines.append(translated(question)) }
    return lines.joined(separator: "\n")
  }

  private static func translated(_ question: String) -> String {
    let forms = [
      TextForm("System password: "), TextForm("System password for %s: "),
    ]
    for form in forms {
      if let found = form.translated(question) { return found }
    }
    // Not translated: the engine and the client write so.
    let end = ": "
    return question.hasSuffix(end)
      ? pin(String(question.dropLast(end.count))) + end : question
  }

  /// The question for the PIN of a security key, without its colon.
  static func pin(_ question: String) -> String {
    if let found = pinOfKey(question) { return found }
    // Not translated: the engine and the client write so.
    let begin = "Wrong PIN. "
    guard question.hasPrefix(begin), let rest = pinOfKey(String(question.dropFirst(begin.count)))
    else { return question }
    return tr("Wrong PIN. %s", rest)
  }

  /// `nil` if it is another question.
  private static func pinOfKey(_ question: String) -> String? {
    // Not translated: the engine and the client write so.
    let (begin, ends) = ("PIN of the security key", [" try left)", " tries left)"])
    guard question != begin else { return tr("PIN of the security key") }
    guard question.hasPrefix(begin + " ("), let end = ends.first(where: question.hasSuffix),
      let count = Int(question.dropFirst(begin.count + 2).dropLast(end.count))
    else { return nil }
    return ntr(
      "PIN of the security key (%d try left)",
      "PIN of the security key (%d tries left)",
      count
    )
  }
}
