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

  /// Writes the files of each tool whose gateway or server the person names.
  static func addTools(_ session: Session, _ facts: SetupFacts) throws(CommandError) {
    for (tool, _) in facts.tools {
      var words: [String] = []
      for (option, what) in [("--url", "Gateway of the model"), ("--mcp", "MCP server")] {
        let url = try session.answer(
          option: option,
          question: "\(what) for \(tool.title), as a URL (Enter: none)",
          mayBeEmpty: true
        )
        if !url.isEmpty { words.append("\(option)=\(url)") }
      }
      guard !words.isEmpty else { continue }
      try session.run(["setup", tool.rawValue, try account(facts, session)] + words)
    }
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
