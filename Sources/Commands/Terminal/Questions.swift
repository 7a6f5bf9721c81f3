internal import SecretMemory
internal import TerminalIO

/// The questions outside presence checks: e-mail, name, and the provider's password.
extension Session {
  /// The value of an option, or an answer typed at the terminal.
  func answer(
    option: String,
    question: String,
    mayBeEmpty: Bool = false
  ) throws(CommandError)
    -> String
  {
    if let value = arguments.value(option) { return value }
    let terminal = try terminal(for: "the \(question.lowercased()) (\(option))")
    for _ in 0..<3 {
      output.ask("\(question): ")
      guard let line = try line(at: terminal) else { break }
      let answer = trimmed(line)
      if !answer.isEmpty || mayBeEmpty { return answer }
    }
    throw CommandError(
      .presence,
      mayBeEmpty ? "nothing was typed" : "no \(question.lowercased()) was typed"
    )
  }

  /// A password typed without echo, or a line of standard input with `--password-stdin`.
  ///
  /// - Parameters:
  ///   - question: the owner of the password.
  ///   - twice: whether a new password must be typed twice.
  /// - Throws: the error that ends the program, such as exit 7 if nothing can be asked.
  /// - Returns: the password, at least one byte.
  func password(_ question: String, twice: Bool) throws(CommandError) -> SharedSecret {
    if arguments.has("--password-stdin") { return try StandardInput.password(interrupt: interrupt) }
    let terminal = try terminal(for: "the password of \(question)")
    try hideInput(of: terminal)
    defer { terminal.restore() }
    for _ in 0..<3 {
      let first = try ask("Password of \(question): ", terminal)
      guard first.bytes.count > 0 else { continue }
      guard twice else { return first }
      let second = try ask("Password again: ", terminal)
      if SecretBytes.constantTimeEqual(first.bytes, second.bytes) { return first }
      output.say("The passwords differ. Type them again.")
    }
    throw CommandError(.presence, "no password was typed")
  }

  /// The PIN of a security key, typed without echo.
  func keyPIN(at terminal: Terminal) throws(CommandError) -> SharedSecret {
    try ask("PIN of the security key: ", terminal)
  }

  /// An answer to a security key's question for its PIN.
  func keyPIN(_ question: String) throws(CommandError) -> SharedSecret {
    try hidden(question, try terminal(for: "the PIN of the security key"))
  }

  /// A provider's client secret, typed without echo or read from standard input.
  func clientSecret() throws(CommandError) -> SharedSecret {
    if arguments.has("--client-secret-stdin") {
      return try StandardInput.password(
        interrupt: interrupt,
        from: standardInput,
        option: "--client-secret-stdin",
        called: "client secret"
      )
    }
    let terminal = try terminal(
      for: "the client secret",
      instead: "--client-secret-stdin reads it from a line of standard input"
    )
    return try ask("Client secret: ", terminal)
  }

  /// A static secret, typed without echo or read from standard input to its end.
  func staticSecret(of account: String, option: String) throws(CommandError) -> SharedSecret {
    if arguments.has(option) {
      return try StandardInput.password(
        interrupt: interrupt,
        from: standardInput,
        option: option,
        called: "secret",
        most: StandardInput.maximumSecret,
        isWhole: true
      )
    }
    let terminal = try terminal(
      for: "the secret of \(account)",
      instead: "\(option) reads it from standard input"
    )
    return try ask("Secret of \(account): ", terminal)
  }

  /// Asks whether to go on, in verbs that have `--yes`; any other answer than yes is no.
  ///
  /// - Parameters:
  ///   - question: the question, with its question mark.
  ///   - what: the name of the confirmation, for the error if the person cannot be asked.
  ///   - refusal: the message after a no.
  /// - Throws: exit 130 after a no, exit 7 if the person cannot be asked.
  func confirm(
    _ question: String,
    for what: String,
    otherwise refusal: String
  ) throws(CommandError) {
    let terminal = try terminal(for: what, instead: "--yes goes on without asking")
    output.ask("\(question) [y/N] ")
    let answer = try line(at: terminal) ?? ""
    guard isYes(answer) else { throw CommandError(.interrupted, refusal) }
  }

  /// An answer to a question whether to go on.
  enum Agreement { case yes, no, leave }

  /// Asks whether to do something that is usually wanted: Enter is yes, and the end of the input
  /// leaves.
  func agrees(_ question: String) throws(CommandError) -> Agreement {
    let terminal = try terminal(for: "an answer")
    while true {
      output.ask("\(question) [Y/n/q] ")
      switch trimmed(try line(at: terminal) ?? "q").lowercased() {
      case "", "y", "yes": return .yes
      case "n", "no": return .no
      case "q", "quit": return .leave
      default: output.say("Type y for yes, n to skip this, or q to leave.")
      }
    }
  }

  /// Whether an answer is a yes; any other answer is a no.
  func isYes(_ answer: String) -> Bool {
    ["y", "yes"].contains(trimmed(answer).lowercased())
  }

  /// A line that is typed with echo; `nil` at the end of the input.
  func line(at terminal: Terminal) throws(CommandError) -> String? {
    do throws(TerminalError) {
      let line = try terminal.readVisible(interrupt: interrupt)
      // The person has not ended the line.
      if line == nil { output.endLine() }
      return line
    } catch {
      if error == .interrupted { output.endLine() }
      throw CommandError(error)
    }
  }

  private func hideInput(of terminal: Terminal) throws(CommandError) {
    do throws(TerminalError) { try terminal.hideInput() } catch { throw CommandError(error) }
  }

  /// An answer that is typed without echo.
  func hidden(_ question: String, _ terminal: Terminal) throws(CommandError) -> SharedSecret {
    try hideInput(of: terminal)
    defer { terminal.restore() }
    return try ask(question, terminal)
  }

  private func ask(_ question: String, _ terminal: Terminal) throws(CommandError) -> SharedSecret {
    do throws(TerminalError) {
      defer { output.endLine() }
      let secret = try terminal.readSecret(interrupt: interrupt) { output.ask(question) }
      if let secret { return secret }
    } catch {
      throw CommandError(error)
    }
    throw CommandError(.presence, "nothing was typed")
  }

  func trimmed(_ line: String) -> String {
    let start = line.firstIndex { $0 != " " && $0 != "\t" } ?? line.endIndex
    let end = line.lastIndex { $0 != " " && $0 != "\t" }.map { line.index(after: $0) }
    return String(line[start..<(end ?? start)])
  }
}
