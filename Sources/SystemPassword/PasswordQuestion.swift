/// A question of a PAM module.
package struct PasswordQuestion: Sendable, Equatable {
  /// The most bytes of shown text.
  package static let maximumText = 512

  /// The modules' messages since the previous question, one on each line, then the question.
  ///
  /// A module's text is written to a terminal, so control characters and direction marks are
  /// removed.
  package let text: String
  /// Whether the answer must not be echoed (PAM_PROMPT_ECHO_OFF).
  package let isHidden: Bool

  package init(text: String, isHidden: Bool) {
    self.text = text
    self.isHidden = isHidden
  }

  /// A module's text as one line that is safe for a terminal.
  static func line(_ text: String) -> String {
    var line = ""
    for scalar in text.unicodeScalars {
      if line.utf8.count + 4 > maximumText { break }
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: line.unicodeScalars.append(" ")
      case .format, .privateUse, .surrogate, .unassigned: break
      default: line.unicodeScalars.append(scalar)
      }
    }
    return line
  }
}
