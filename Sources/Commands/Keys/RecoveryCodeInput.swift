internal import SecretMemory
internal import TerminalIO

/// A recovery code that a person types, or a script hands over.
enum RecoveryCodeInput {
  static let ask = Verb.Option("--code", "ask for the recovery code at the terminal")
  static let standardInput = Verb.Option(
    "--code-stdin",
    "read the recovery code from a line of standard input"
  )

  /// The code, if one of the options is given.
  static func given(_ session: Session) throws(CommandError) -> SharedSecret? {
    if session.arguments.has(standardInput.name) {
      return try StandardInput.password(
        interrupt: session.interrupt,
        from: session.standardInput,
        option: standardInput.name,
        called: "recovery code"
      )
    }
    guard session.arguments.has(ask.name) else { return nil }
    return try asked("Recovery code: ", session)
  }

  /// A code that is typed without echo.
  static func asked(_ question: String, _ session: Session) throws(CommandError) -> SharedSecret {
    let terminal = try session.terminal(
      for: "the recovery code",
      instead: "\(standardInput.name) reads it from a line of standard input"
    )
    return try session.hidden(question, terminal)
  }
}
