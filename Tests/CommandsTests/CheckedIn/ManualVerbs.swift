@testable import Commands

/// VERBS of thumblatch(1), in the language of groff_man(7).
enum ManualVerbs {
  /// The lines between which the verbs stand in the page.
  static let (begin, end) = (
    ".\\\" \(CheckedInFile.origin)", ".\\\" The verbs end here."
  )

  /// The page with these verbs in it; `nil` if it lacks one of the two lines.
  static func page(_ page: String, with verbs: [Verb]) -> String? {
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    guard let first = lines.firstIndex(where: { $0 == begin }),
      let last = lines.firstIndex(where: { $0 == end }), first < last
    else { return nil }
    let made = verbs.map(entry).joined(separator: "\n")
    return (lines[...first] + [made[...]] + lines[last...]).joined(separator: "\n")
  }

  private static func entry(_ verb: Verb) -> String {
    var lines = [".TP", synopsis(verb), escaped(sentence(verb.summary))]
    for (index, paragraph) in verb.details.split(separator: "\n").enumerated() {
      if index > 0 { lines.append(paragraph.hasPrefix(Verb.bullet) ? ".br" : ".IP") }
      lines += sentences(String(paragraph))
    }
    guard !verb.options.isEmpty else { return lines.joined(separator: "\n") }
    lines.append(".RS")
    for option in verb.options {
      let value = option.value.map { " \\fI\(escaped($0))\\fR" } ?? ""
      lines += [".TP", "\\fB\(escaped(option.name))\\fR\(value)", escaped(sentence(option.help))]
    }
    return (lines + [".RE"]).joined(separator: "\n")
  }

  private static func synopsis(_ verb: Verb) -> String {
    let words = verb.words.map { "\\fB\($0)\\fR" }
    let operands = verb.operands.map { operand in
      let name = "\\fI\(escaped(operand.name))\\fR"
      return switch operand.count {
      case .one: name
      case .optional: "[\(name)]"
      case .any: "[\(name)...]"
      case .command: "\\-\\- \(name) [\\fIARG\\fR...]"
      }
    }
    let options = verb.options.isEmpty ? [] : ["[\\fIoptions\\fR]"]
    // Options precede a command.
    let end = verb.takesCommand ? operands.count - 1 : operands.count
    return (words + operands[..<end] + options + operands[end...]).joined(separator: " ")
  }

  /// A line for each sentence, as groff(7) advises.
  private static func sentences(_ paragraph: String) -> [String] {
    escaped(paragraph).replacing(". ", with: ".\n").split(separator: "\n").map(String.init)
  }

  private static func sentence(_ clause: String) -> String {
    let end = clause.hasSuffix(".") ? "" : "."
    // A name that ends with a colon, such as that of a template, is not changed.
    if clause.prefix(while: { $0 != " " }).hasSuffix(":") { return clause + end }
    return clause.prefix(1).uppercased() + clause.dropFirst() + end
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "\"": result += "\\(dq"
      default: result.append(character)
      }
    }
    return result.hasPrefix(".") ? "\\&" + result : result
  }
}
