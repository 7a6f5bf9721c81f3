internal import PlainText

/// The words after the program's name, parsed and checked against one verb.
struct Arguments: Sendable {
  /// The most bytes of one word: a longer one is a mistake or an attack.
  static let maximumWord = 64 * 1024

  let verb: Verb
  /// The words that are not options, in order.
  private(set) var operands: [String] = []
  /// The words of a command, which follow `--`.
  private(set) var command: [String] = []
  private var values: [String: [String]] = [:]

  /// The value of an option that is given at most once.
  func value(_ option: String) -> String? { values[option]?.first }
  /// The values of an option that may be given several times.
  func allValues(_ option: String) -> [String] { values[option] ?? [] }
  /// Whether an option was given.
  func has(_ option: String) -> Bool { values[option] != nil }

  /// Whether another tool runs this program for a token, so that the terminal is that tool's
  /// screen.
  var isForTool: Bool { verb.isForTools || has(HelperRelay.helper.name) }

  /// The request that the words make.
  enum Request: Sendable {
    case run(Arguments)
    case help(Verb?)
    /// Help about the verbs that share a first word.
    case helpOfSeveral([Verb])
    case version
  }

  /// Parses the words.
  ///
  /// Options may come before and after the operands, and common ones also before the verb. `--`
  /// ends the options.
  static func parse(_ words: [String], verbs: [Verb]) throws(CommandError) -> Request {
    var parser = Parser(words: words[...], verbs: verbs)
    return try parser.parse()
  }

  fileprivate init(
    verb: Verb,
    operands: [String],
    command: [String],
    values: [String: [String]]
  ) {
    self.verb = verb
    self.operands = operands
    self.command = command
    self.values = values
  }
}

/// One walk over the words from left to right.
private struct Parser {
  var words: ArraySlice<String>
  let verbs: [Verb]
  var name: [String] = []
  var verb: Verb?
  var operands: [String] = []
  var command: [String] = []
  var values: [String: [String]] = [:]
  var optionsEnded = false

  mutating func parse() throws(CommandError) -> Arguments.Request {
    while let word = words.popFirst() {
      try demandReadable(word)
      if !optionsEnded && word == "--" {
        optionsEnded = true
        guard verb?.takesCommand == true else { continue }
        command = Array(words)
        words = []
      } else if !optionsEnded && word.hasPrefix("-") && word != "-" {
        if word == "--version" && verb == nil && name.isEmpty { return .version }
        try takeOption(word)
      } else if name.isEmpty && word == "version" {
        return .version
      } else if name.isEmpty && word == "help" {
        values["--help"] = []
      } else if verb == nil || isLongerVerb(word) {
        try takeVerbWord(word)
      } else {
        operands.append(word)
      }
    }
    return try finish()
  }

  private mutating func finish() throws(CommandError) -> Arguments.Request {
    let help = values["--help"] != nil
    guard let verb else {
      if name.isEmpty && help { return .help(nil) }
      if name.isEmpty {
        return .run(Arguments(verb: GuideVerb.bare, operands: [], command: [], values: values))
      }
      let choices = verbs.filter { $0.words.starts(with: name) }
      if help { return .helpOfSeveral(choices) }
      throw .usage(
        "'\(name.joined(separator: " "))' needs a subcommand",
        hint: choices.map(\.name).joined(separator: ", ")
      )
    }
    if help { return .help(verb) }
    try countOperands(of: verb)
    return .run(Arguments(verb: verb, operands: operands, command: command, values: values))
  }

  /// Whether a word continues the verb to a longer one, as `verify` does after `audit`.
  private func isLongerVerb(_ word: String) -> Bool {
    !optionsEnded && operands.isEmpty
      && values.keys.allSatisfy { name in Verb.common.contains { $0.name == name } }
      && verbs.contains { $0.words == name + [word] }
  }

  private mutating func takeVerbWord(_ word: String) throws(CommandError) {
    let longer = name + [word]
    guard verbs.contains(where: { $0.words.starts(with: longer) }) else {
      throw unknownVerb(longer)
    }
    name = longer
    verb = verbs.first { $0.words == longer }
  }

  private func unknownVerb(_ words: [String]) -> CommandError {
    let asked = words.joined(separator: " ")
    // Such as `enroll` without `fingers` or `keys` before it.
    let ends = name.isEmpty ? verbs.filter { $0.words.count > 1 && $0.words.last == asked } : []
    guard ends.isEmpty else {
      let meant = ends.map { "thumblatch \($0.name)" }.joined(separator: ", ")
      return .usage("unknown verb: \(asked)", hint: "did you mean: \(meant)")
    }
    let among = verbs.filter { $0.words.starts(with: name) && $0.words.count > name.count }
    let nearest = Nearest.verb(words[words.count - 1], in: among.map { $0.words[name.count] })
      .map { (name + [$0]).joined(separator: " ") }
    let choices = name.isEmpty ? [] : among.map(\.name)
    let hint =
      if let nearest { "did you mean: thumblatch \(nearest)" } else if !choices.isEmpty {
        choices.joined(separator: ", ")
      } else { "thumblatch --help lists the verbs" }
    return .usage("unknown verb: \(asked)", hint: hint)
  }

  private mutating func takeOption(_ word: String) throws(CommandError) {
    let (name, attached) = split(word == "-h" ? "--help" : word)
    let known = (verb?.options ?? []) + Verb.common
    guard let option = known.first(where: { $0.name == name }) else {
      throw unknownOption(name, known: known)
    }
    if values[name] != nil && !option.repeats && option.value != nil {
      throw .usage("\(name) is given twice")
    }
    guard let placeholder = option.value else {
      guard attached == nil else {
        throw .usage("\(name) takes no value", hint: name == Self.password ? passwordRule : nil)
      }
      values[name] = []
      return
    }
    let given: String? = if let attached { attached } else { try nextValue() }
    guard let value = given, !value.isEmpty else {
      if option.mayStandAlone, attached == nil {
        values[name] = []
        return
      }
      throw .usage("\(name) needs a value: \(name) \(placeholder)")
    }
    values[name, default: []].append(value)
  }

  /// The next word, unless it looks like an option: `--for --json` is a forgotten value.
  private mutating func nextValue() throws(CommandError) -> String? {
    guard let next = words.first, !next.hasPrefix("-") || next == "-" else { return nil }
    try demandReadable(next)
    return words.popFirst()
  }

  /// Refuses a word that is too long or has too many combining marks.
  private func demandReadable(_ word: String) throws(CommandError) {
    guard word.utf8.count <= Arguments.maximumWord else { throw .usage("an argument is too long") }
    guard word.isStreamSafe else {
      throw .usage("an argument has more than 30 combining marks in a row")
    }
  }

  private func split(_ word: String) -> (String, String?) {
    // A short option's value may follow without a space, as in -XPOST.
    if !word.hasPrefix("--"), word.count > 2 {
      return (String(word.prefix(2)), String(word.dropFirst(2)))
    }
    guard word.hasPrefix("--"), let equals = word.firstIndex(of: "=") else { return (word, nil) }
    return (String(word[..<equals]), String(word[word.index(after: equals)...]))
  }

  private func unknownOption(_ name: String, known: [Verb.Option]) -> CommandError {
    // The word after --password may be a password that begins with a dash.
    if let passwordHint { return .usage("unknown option", hint: passwordHint) }
    if name == Self.password, known.contains(where: { $0.name == "--password-stdin" }) {
      return .usage("unknown option: \(name)", hint: passwordRule)
    }
    if let verb, verb.takesCommand {
      return .usage("unknown option: \(name)", hint: "usage: thumblatch \(verb.usage)")
    }
    let help = verb.map { "thumblatch \($0.name) --help lists the options" }
    if let nearest = Nearest.option(name, in: known.map(\.name)) {
      return .usage("unknown option: \(name)", hint: "did you mean: \(nearest)")
    }
    if verb == nil {
      return .usage(
        "unknown option: \(name)",
        hint: "options of a verb come after it; thumblatch --help lists the verbs"
      )
    }
    return .usage("unknown option: \(name)", hint: help)
  }

  private static let password = "--password"

  /// The hint against a password among the words, which every user of the machine can see.
  private var passwordRule: String {
    "other users can see arguments: type the password at the terminal, or use --password-stdin"
  }

  /// `passwordRule` if a password among the words is likely, else `nil`.
  private var passwordHint: String? { values[Self.password] == nil ? nil : passwordRule }

  private func countOperands(of verb: Verb) throws(CommandError) {
    let least = verb.operands.filter { $0.count == .one }.count
    let counted = verb.operands.filter { !$0.isCommand }.count
    let most = verb.operands.contains { $0.count == .any } ? Int.max : counted
    let usage = "usage: thumblatch \(verb.takesCommand ? verb.usage : verb.synopsis)"
    if operands.count < least {
      // An optional operand before a required one is not the missing one.
      let missing = verb.operands.filter { $0.count == .one }[operands.count].name
      throw .usage("\(missing) is missing", hint: usage)
    }
    if operands.count > most {
      // The extra word is not shown, because it may be a password.
      throw .usage("too many arguments", hint: passwordHint ?? usage)
    }
    if command.isEmpty, let missing = verb.operands.first(where: \.isCommand) {
      throw .usage("\(missing.name) is missing", hint: usage)
    }
  }
}
