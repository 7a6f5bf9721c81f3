internal import PlainText

/// The texts of `--help` and `--version`.
enum Help {
  /// The least width of an explanation beside its name.
  private static let narrowest = 16

  /// The list of verbs.
  static func overview(_ verbs: [Verb], columns: Int) -> String {
    var lines = [
      "usage: thumblatch VERB [ACCOUNT] [options]",
      "",
      "A token vault: refresh tokens stay sealed until you show that you are present.",
      "",
    ]
    lines += entries(verbs, columns: columns)
    lines += ["", "Options of every verb:", ""]
    lines += options(Verb.common, columns: columns)
    lines.append("")
    lines += PlainText.wrapped("thumblatch VERB --help says more. \(exitCodes)", columns: columns)
    return lines.joined(separator: "\n")
  }

  private static let exitCodes =
    "Exit codes: "
    + ExitCode.allCases.map { "\($0.rawValue) \($0.summary)" }.joined(separator: ", ") + "."

  /// The list of the verbs that begin with one word.
  static func ofSeveral(_ verbs: [Verb], columns: Int) -> String {
    let word = verbs.first?.words.first ?? "VERB"
    var lines = ["usage: thumblatch \(word) VERB [options]", ""]
    lines += entries(verbs, columns: columns)
    lines.append("")
    lines += PlainText.wrapped("thumblatch \(word) VERB --help says more.", columns: columns)
    return lines.joined(separator: "\n")
  }

  /// One verb's own help; `longer` are the verbs that begin with the same word.
  static func of(_ verb: Verb, longer: [Verb] = [], columns: Int) -> String {
    var lines = ["usage: thumblatch \(verb.usage)"]
    lines += [""] + PlainText.wrapped(sentence(verb.summary), columns: columns)
    for paragraph in verb.details.split(separator: "\n") {
      lines += paragraph.hasPrefix(Verb.bullet) ? [] : [""]
      lines += PlainText.wrapped(String(paragraph), columns: columns)
    }
    lines += [""] + options(verb.options + Verb.common, columns: columns)
    if !longer.isEmpty {
      lines += ["", "Verbs:", ""] + entries([verb] + longer, columns: columns)
    }
    return lines.joined(separator: "\n")
  }

  private static func entries(_ verbs: [Verb], columns: Int) -> [String] {
    let width = verbs.map { PlainText.width($0.synopsis) }.max() ?? 0
    return verbs.flatMap { verb in
      entry(verb.synopsis, verb.summary, width: width, columns: columns)
    }
  }

  private static func options(_ options: [Verb.Option], columns: Int) -> [String] {
    let names = options.map { $0.name + ($0.value.map { " \($0)" } ?? "") }
    let width = names.map(PlainText.width).max() ?? 0
    return zip(names, options).flatMap { name, option in
      entry(name, option.help, width: width, columns: columns)
    }
  }

  private static func entry(_ name: String, _ text: String, width: Int, columns: Int) -> [String] {
    let indent = width + 4
    guard columns - indent >= narrowest else {
      let lines = PlainText.wrapped(text, columns: max(1, columns - 6))
      return ["  " + name] + lines.map { "      " + $0 }
    }
    let lines = PlainText.wrapped(text, columns: columns - indent)
    let padding = String(repeating: " ", count: max(0, width - PlainText.width(name)) + 2)
    return lines.enumerated().map { index, line in
      (index == 0 ? "  " + name + padding : String(repeating: " ", count: indent)) + line
    }
  }

  /// A clause as a sentence.
  static func sentence(_ clause: String) -> String {
    guard let first = clause.first else { return clause }
    return first.uppercased() + clause.dropFirst() + "."
  }
}
