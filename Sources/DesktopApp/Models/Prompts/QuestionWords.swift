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
    TextForm("Wrong PIN. %s").translated(question, pinOfKey) ?? pinOfKey(question)
  }

  private static func pinOfKey(_ question: String) -> String {
    // Not translated: the engine and the client write so.
    let (begin, end) = ("PIN of the security key", " tries left)")
    guard question.hasPrefix(begin + " ("), question.hasSuffix(end),
      let count = Int(question.dropFirst(begin.count + 2).dropLast(end.count))
    else {
      let forms = [
        // Sent in parts.
        TextForm("PIN of the security key"),
        // Sent in parts.
        TextForm("PIN of the security key (1 try left)"),
      ]
      return DetailWords.first(question, forms)
    }
    return ntr(
      "PIN of the security key (%d try left)",
      "PIN of the security key (%d tries left)",
      count
    )
  }
}
