/// A command of the program, with everything that its parser, its help, its manual page and the
/// completions of the shells need.
struct Verb: Sendable {
  /// The words that a shell offers for an operand or for the value of an option.
  enum Candidates: Sendable {
    case none
    case accounts
    case providers
    case files
    case words([String])
    /// Words that depend on the previous operand.
    case following([(previous: [String], words: [String])])
  }

  /// A word that is not an option.
  struct Operand: Sendable {
    enum Count: Sendable {
      case one, optional, any
      /// The words after `--`: a command and its arguments.
      case command
    }
    let name: String
    let count: Count
    let offers: Candidates

    init(_ name: String, _ count: Count, offers: Candidates = .none) {
      self.name = name
      self.count = count
      self.offers = offers
    }
  }

  /// A word that begins with `--`.
  struct Option: Sendable {
    /// With its dashes.
    let name: String
    /// The name of the value in the help; `nil` for an option without a value.
    let value: String?
    /// Whether it may be given more than once.
    let repeats: Bool
    /// Whether its value may be left out.
    let mayStandAlone: Bool
    let offers: Candidates
    let help: String

    static let reason = Option(
      "--reason",
      "TEXT",
      "the reason for the request: shown as not verified, and recorded"
    )

    /// An option without a value.
    init(_ name: String, _ help: String) {
      self.init(name, nil, help)
    }

    /// An option with a value, unless `value` is `nil`.
    init(
      _ name: String,
      _ value: String?,
      repeats: Bool = false,
      mayStandAlone: Bool = false,
      offers: Candidates = .none,
      _ help: String
    ) {
      self.name = name
      self.value = value
      self.repeats = repeats
      self.mayStandAlone = mayStandAlone
      self.offers = offers
      self.help = help
    }
  }

  /// The words that call it, such as `presence enable`.
  let words: [String]
  let operands: [Operand]
  let options: [Option]
  /// One clause for the list of verbs.
  let summary: String
  /// Further paragraphs of its own help.
  ///
  /// A line is a paragraph. One that begins with `bullet` belongs to the list below the line
  /// before.
  let details: String
  /// How an item of a list begins in `details`.
  static let bullet = "- "
  /// Whether it answers another tool, whose screen the terminal is: nothing is asked there.
  let isForTools: Bool
  /// The function of the verb.
  let run: @Sendable (Session) throws(CommandError) -> Void

  init(
    _ name: String,
    _ operands: [Operand] = [],
    options: [Option] = [],
    summary: String,
    details: String = "",
    isForTools: Bool = false,
    run: @escaping @Sendable (Session) throws(CommandError) -> Void
  ) {
    words = name.split(separator: " ").map(String.init)
    self.operands = operands
    self.options = options
    self.summary = summary
    self.details = details
    self.isForTools = isForTools
    self.run = run
  }

  var name: String { words.joined(separator: " ") }

  /// The options that every verb has.
  static let common: [Option] = [
    Option("--json", "print one JSON object, even for an error"),
    Option("--no-input", "never ask; exit 7 says what would have been asked"),
    Option("--private", "use your own vault, even if a service is installed"),
    Option("--help", "show this help (also -h)"),
  ]

  /// The verb with its operands, as the list of verbs writes it.
  var synopsis: String { ([name] + operands.map(\.synopsis)).joined(separator: " ") }

  /// The verb with operands and options, as its own help writes it.
  var usage: String {
    let (command, others) = (operands.filter(\.isCommand), operands.filter { !$0.isCommand })
    let options = options.isEmpty ? [] : ["[options]"]
    return ([name] + others.map(\.synopsis) + options + command.map(\.synopsis))
      .joined(separator: " ")
  }

  /// Whether words after `--` are a command.
  var takesCommand: Bool { operands.contains(where: \.isCommand) }
}

extension Verb.Operand {
  var isCommand: Bool { count == .command }

  var synopsis: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
    case .any: "[\(name)...]"
    case .command: "-- \(name) [ARG...]"
    }
  }

  /// ACCOUNT, which may be left out if only one account has a login, or if one is the default.
  static let account = Verb.Operand("ACCOUNT", .optional, offers: .accounts)
  /// ACCOUNT, which must be given.
  static let namedAccount = Verb.Operand("ACCOUNT", .one, offers: .accounts)
}
