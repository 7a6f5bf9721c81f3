internal import Configuration
internal import VaultInterface

/// The questions of `setup` whose answers become the words of other verbs.
enum SetupQuestions {
  /// Asks where the person signs in, and adds that provider.
  static func addProvider(_ session: Session) throws(CommandError) {
    let templates = ProviderTemplate.all
    let index = try session.choose(
      "Where do you sign in?",
      among: templates.map { Choice(name: $0.name, meaning: $0.title) } + [
        Choice(name: "oidc", meaning: "another provider of OpenID Connect"),
        Choice(
          name: Provider.Kind.passwordBackend.rawValue,
          meaning: "a server that takes e-mail and password as JSON"
        ),
      ]
    )
    var words = ["provider", "add"]
    if index < templates.count {
      words += try Self.words(of: templates[index], session)
    } else {
      let url = try session.answer(option: "--issuer", question: "URL of the provider")
      words += [try name(of: url, session), "--issuer=\(url)"]
      words +=
        index == templates.count
        ? ["--client-id=\(try session.answer(option: "--client-id", question: "Client ID"))"]
        : ["--kind=\(Provider.Kind.passwordBackend.rawValue)"]
    }
    session.isGuided = true
    try session.run(words)
  }

  /// Signs in to the accounts that need it, or to the first account; false if the person leaves.
  static func signIn(_ session: Session, _ facts: SetupFacts) throws(CommandError) -> Bool {
    for account in facts.toSignIn { try session.run(["login", account.name]) }
    guard facts.toSignIn.isEmpty else { return true }
    var words = ["login"]
    if let only = SignInVerbs.onlyProvider(session), SignInVerbs.registers(only) {
      switch try session.agrees("Are you registered at \(only.name) already?") {
      case .yes: break
      case .no: words = ["register", only.name, "--provider", only.name]
      case .leave: return false
      }
    }
    try session.run(words)
    return true
  }

  /// Offers an account to each tool; false if the person leaves.
  static func addTools(_ session: Session, _ facts: SetupFacts) throws(CommandError) -> Bool {
    for (tool, _) in facts.tools {
      guard try addTool(tool, session, facts) else { return false }
    }
    return true
  }

  /// Writes the files of a tool if the person names its gateway or server.
  ///
  /// A no or an error does not end the offers to other tools.
  ///
  /// - Returns: false if the person leaves.
  private static func addTool(
    _ tool: Tool,
    _ session: Session,
    _ facts: SetupFacts
  ) throws(CommandError) -> Bool {
    while true {
      guard let words = try addresses(of: tool, session) else { return false }
      guard !words.isEmpty else { return true }
      do throws(CommandError) {
        let account = try account(facts, session)
        let vault = session.arguments.has("--private") ? ["--private"] : []
        try session.run(["setup", tool.rawValue, account] + words + vault)
        return true
      } catch {
        // Ctrl-C leaves the setup.
        guard error != .interrupted else { throw error }
        if error.code == .interrupted {
          session.output.say("Nothing was written for \(tool.title).")
          return true
        }
        session.output.fail(error)
      }
      switch try session.agrees("Try again?") {
      case .yes: continue
      case .no: return true
      case .leave: return false
      }
    }
  }

  /// The options that name the gateway and the server of a tool; `nil` at the end of the input.
  private static func addresses(
    of tool: Tool,
    _ session: Session
  ) throws(CommandError) -> [String]? {
    let terminal = try session.terminal(for: "an answer")
    var words: [String] = []
    for (option, what) in [("--url", "Gateway of the model"), ("--mcp", "MCP server")] {
      session.output.ask("\(what) for \(tool.title), as a URL (Enter: none): ")
      guard let line = try session.line(at: terminal) else { return nil }
      let url = session.trimmed(line)
      if !url.isEmpty { words.append("\(option)=\(url)") }
    }
    return words
  }

  /// The account that a tool gets: the only one, or the one that the person chooses.
  private static func account(
    _ facts: SetupFacts,
    _ session: Session
  ) throws(CommandError) -> String {
    let accounts = facts.signedIn
    guard accounts.count > 1 else { return accounts[0].name }
    let choices = accounts.map { Choice(name: $0.name, meaning: "at \($0.provider)") }
    return accounts[try session.choose("Which account?", among: choices)].name
  }

  /// The words that fill a template, after the steps that come first at the provider.
  private static func words(
    of template: ProviderTemplate,
    _ session: Session
  ) throws(CommandError) -> [String] {
    for note in template.notes { session.output.say("At the provider: \(note)") }
    var words = [template.name, "--template=\(template.name)"]
    for placeholder in template.missing(of: [:]) {
      let meaning = placeholder.meaning
      let question = meaning.prefix(1).uppercased() + meaning.dropFirst()
      let value = try session.answer(option: "--\(placeholder.name)", question: question)
      words.append("--\(placeholder.name)=\(value)")
    }
    return words + [
      "--client-id=\(try session.answer(option: "--client-id", question: "Client ID"))"
    ]
  }

  /// The name of a provider: typed, or derived from its URL.
  private static func name(of url: String, _ session: Session) throws(CommandError) -> String {
    let derived: String
    do throws(ConfigurationError) {
      derived = try ProviderName(of: try Issuer(url)).text
    } catch {
      throw .usage("the URL of the provider \(ConfigurationError(error.problem))")
    }
    let typed = try session.answer(
      option: "NAME",
      question: "Your name for it (Enter: \(derived))",
      mayBeEmpty: true
    )
    return typed.isEmpty ? derived : typed
  }
}
