/// Why a name, a setting or a configuration file was refused.
///
/// What it quotes is escaped and cut, so that hostile input neither fills nor steers a terminal.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public enum Problem: Equatable, Sendable {
    /// A name of an account or provider that breaks the rule; `what` says of which.
    case badName(what: String, text: String)
    /// A value that breaks its rule; `text` is `nil` if it could hold a password.
    case badValue(text: String?, rule: String)
    /// A key that nobody reads.
    case unknownKey
    /// A key that providers of this kind do not have, and the kinds that do.
    case keyOfOtherKind(String, [String])
    /// A key that must be there.
    case missingKey
    /// A key that stands twice in its section.
    case repeatedKey
    /// A section that nobody reads.
    case unknownSection(String)
    /// A section that must be there.
    case missingSection(String)
    /// A section that stands twice.
    case repeatedSection(String)
    /// A line that is no section, key, comment or empty line.
    case badLine
    /// A character that text files do not hold.
    case badCharacter
    /// More than is read; the most bytes.
    case tooLarge(Int)
    /// A file that a setting names cannot be read; why.
    case unreadable(String)
    /// Stored settings that were not written by this program.
    case damaged
  }

  /// What is wrong.
  public let problem: Problem
  /// The setting that it is about.
  public let key: String?
  /// The file that was read.
  public let file: String?
  /// The line in `file`, from 1.
  public let line: Int?

  /// Makes an error from what is known about it.
  public init(_ problem: Problem, key: String? = nil, file: String? = nil, line: Int? = nil) {
    self.problem = problem
    self.key = key
    self.file = file
    self.line = line
  }

  /// The same problem, with the place where it was found.
  public func at(file: String, line: Int?) -> ConfigurationError {
    ConfigurationError(problem, key: key, file: file, line: line)
  }

  /// One line: `file:line: key: what is wrong`.
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
      "\"\(Self.shown(text))\" is no \(what) name: lower-case letters, digits, '.', '_' and '-', "
        + "at most \(Name.maximumLength), the first one a letter or digit"
    case .badValue(nil, let rule): "must be \(rule)"
    case .badValue(let text?, let rule): "must be \(rule), not \"\(Self.shown(text))\""
    case .unknownKey: "unknown key"
    case .keyOfOtherKind(let kind, let others):
      "does not belong to kind = \(kind), but to \(others.joined(separator: " and "))"
    case .missingKey: "is missing"
    case .repeatedKey: "stands here a second time"
    case .unknownSection(let name): "unknown section [\(Self.shown(name))]"
    case .missingSection(let name): "has no section [\(Self.shown(name))]"
    case .repeatedSection(let name): "section [\(Self.shown(name))] stands here a second time"
    case .badLine: "is neither a [Section], a key = value, a # comment nor empty"
    case .badCharacter: "holds a control character or is not UTF-8"
    case .tooLarge(let most): "is larger than \(most) bytes"
    case .unreadable(let reason): "cannot be read: \(Self.shown(reason))"
    case .damaged: "the stored provider settings are damaged"
    }
  }

  /// Text from outside, fit to be quoted in one line: escaped to ASCII, at most 80 characters.
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
