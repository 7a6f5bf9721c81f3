/// What a PAM module asks.
public struct PasswordQuestion: Sendable, Equatable {
  /// The most bytes of text that are shown.
  public static let maximumText = 512

  /// What modules told since the last question, a line each, then the question.
  ///
  /// A module's text is written to a terminal: control characters and marks that change the
  /// direction of text are taken out.
  public let text: String
  /// Whether the answer must not be shown as it is typed (PAM_PROMPT_ECHO_OFF).
  public let isHidden: Bool

  /// Makes a question.
  public init(text: String, isHidden: Bool) {
    self.text = text
    self.isHidden = isHidden
  }

  /// Text of a module's as one line that is harmless on a terminal.
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
