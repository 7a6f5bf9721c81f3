internal import JSON
internal import VaultInterface

/// `env`, `headers`: a token in the form that another program reads.
extension TokenVerbs {
  static let name = Verb.Option(
    "--name",
    "VARIABLE",
    "the environment variable; ACCESS_TOKEN by default"
  )

  static let env = Verb(
    "env",
    [.account],
    options: [
      name,
      Verb.Option(
        "--shell",
        "SHELL",
        offers: .words(ShellText.allCases.map(\.rawValue)),
        "the shell's syntax: sh (also for bash, zsh and others), fish or csh; sh by default"
      ),
    ] + options,
    summary: "print an access token as a shell variable",
    details: """
      Prints a line for eval. Every program that the shell starts afterwards gets the token, so \
      prefer exec for a single program. The shell's copy is not renewed when the token expires.
      """
  ) { session throws(CommandError) in
    let name = try variable(session)
    let shell = try shell(session)
    let reply = try requested(session)
    try AuthorizationText.demandLine(reply.accessToken, of: reply.account)
    var facts = object(reply)
    facts["variable"] = .string(name.text)
    try session.give(
      facts,
      shell.setting(name, to: reply.accessToken)
    )
  }

  static let headers = Verb(
    "headers",
    [.account],
    options: options + [AuthorizationText.basic] + HelperRelay.options,
    summary: "print an access token as a JSON object of HTTP headers",
    details: """
      Prints only that object on standard output, with or without --json. It is for tools that get \
      HTTP headers from a command, such as the headersHelper of an MCP server.
      """
  ) { session throws(CommandError) in
    try HelperRelay.run(session)
    let reply = try requested(session)
    let value = try AuthorizationText.value(reply.accessToken, of: reply.account, session)
    try session.output.data(["Authorization": .string(value)])
  }

  /// The variable that the words name.
  static func variable(_ session: Session) throws(CommandError) -> VariableName {
    guard let word = session.arguments.value(name.name) else { return .standard }
    return try VariableName(word)
  }

  private static func shell(_ session: Session) throws(CommandError) -> ShellText {
    guard let word = session.arguments.value("--shell") else { return .sh }
    guard let shell = ShellText(rawValue: word) else {
      throw .usage(
        "--shell must be sh, fish or csh",
        hint: "bash, dash, ksh and zsh read the syntax of sh"
      )
    }
    return shell
  }
}
