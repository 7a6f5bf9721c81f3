internal import TokenFile

/// Why a name, a setting or a configuration file was refused.
///
/// Quoted text is escaped and truncated, so that hostile input can neither fill nor control a
/// terminal.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of the problem.
  public enum Problem: Equatable, Sendable {
    /// An invalid name; `what` is its kind, such as `account` or `provider`.
    case badName(what: String, text: String)
    /// An invalid value; `text` is `nil` if it could hold a password.
    case badValue(text: String?, rule: String)
    /// An unknown key.
    case unknownKey
    /// A key that this kind of provider does not have, with the kinds that do.
    case keyOfOtherKind(String, [String])
    /// A required key is missing.
    case missingKey
    /// A key occurs twice in its section.
    case repeatedKey
    /// An unknown section.
    case unknownSection(String)
    /// A required section is missing.
    case missingSection(String)
    /// A section occurs twice.
    case repeatedSection(String)
    /// A line that is not a section, a key, a comment or empty.
    case badLine
    /// A key before the first section.
    case keyOutsideSection
    /// A character that a text file must not hold.
    case badCharacter
    /// Longer than the limit, given in bytes.
    case tooLarge(Int)
    /// A file that a setting names cannot be read, with the reason.
    case unreadable(String)
    /// Stored settings that this program did not write.
    case damaged
  }

  /// The kind of the problem.
  public let problem: Problem
  /// The setting with the problem.
  public let key: String?
  /// The file with the problem.
  public let file: String?
  /// The line in `file`, from 1.
  public let line: Int?

  /// Makes an error from the known facts.
  public init(_ problem: Problem, key: String? = nil, file: String? = nil, line: Int? = nil) {
    self.problem = problem
    self.key = key
    self.file = file
    self.line = line
  }

  /// The same problem with its file and line.
  public func at(file: String, line: Int?) -> ConfigurationError {
    ConfigurationError(problem, key: key, file: file, line: line)
  }

  /// One line: `file:line: key: problem`.
  public var description: String {
    var text = ""
    if let file {
      text += Self.shown(file)
      if let line { text += ":\(line)" }
      text += ": "
    }
    if let key { text += "\(Self.shown(key)): " }
    return text + sentence
  }

  private var sentence: String {
    switch problem {
    case .badName(let what, let text):
      "\"\(Self.shown(text))\" is not \(what == "account" ? "an" : "a") \(what) name: use lower-case "
        + "letters, digits, '.', '_' and '-', at most \(NameRule.longest), starting with a letter or digit"
    case .badValue(nil, let rule): "must be \(rule)"
    case .badValue(let text?, let rule): "must be \(rule), not \"\(Self.shown(text))\""
    case .unknownKey: "unknown key"
    case .keyOfOtherKind(let kind, let others):
      "does not belong to kind = \(kind), but to \(others.joined(separator: " and "))"
    case .missingKey: "is missing"
    case .repeatedKey: "is set a second time"
    case .unknownSection(let name): "unknown section [\(Self.shown(name))]"
    case .missingSection(let name): "has no section [\(Self.shown(name))]"
    case .repeatedSection(let name): "section [\(Self.shown(name))] occurs a second time"
    case .badLine: "is neither a [Section], a key = value, a # comment nor empty"
    case .keyOutsideSection: "a key = value stands before the first [Section]"
    case .badCharacter: "holds a control character or is not UTF-8"
    case .tooLarge(let most): "is larger than \(most) bytes"
    case .unreadable(let reason): "cannot be read: \(Self.shown(reason))"
    case .damaged: "the stored provider settings are damaged"
    }
  }

  /// Escapes text from outside to ASCII for one line, at most 80 characters.
  public static func shown(_ text: String) -> String {
    let most = 80
    let ellipsis = "..."
    var shown = ""
    var count = 0
    var fitting = 0
    for scalar in text.unicodeScalars {
      let piece: String
      switch scalar {
      case "\n": piece = "\\n"
      case "\t": piece = "\\t"
      case "\\": piece = "\\\\"
      case "\"": piece = "\\\""
      case " "..."~": piece = String(Character(scalar))
      default: piece = "\\u{" + String(scalar.value, radix: 16) + "}"
      }
      count += piece.utf8.count
      if count > most { return String(shown.prefix(fitting)) + ellipsis }
      shown += piece
      if count <= most - ellipsis.count { fitting = count }
    }
    return shown
  }
}
