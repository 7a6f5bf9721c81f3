internal import SecretMemory
internal import TerminalIO

/// The questions that are no presence check: e-mail, name, and the provider's password.
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
    throw CommandError(.presence, "no \(question.lowercased()) was given")
  }

  /// A password typed unseen, or a line of standard input with `--password-stdin`.
  ///
  /// - Parameters:
  ///   - question: what it is the password of.
  ///   - twice: whether it is asked again, because it is a new one.
  /// - Throws: the end of the program's run, such as exit 7 where nothing can be asked.
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
      output.say("The two were not the same.")
    }
    throw CommandError(.presence, "no password was given")
  }

  /// A provider's client secret, typed unseen or read from standard input.
  func clientSecret() throws(CommandError) -> SharedSecret {
    if arguments.has("--client-secret-stdin") {
      return try StandardInput.password(
        interrupt: interrupt,
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

  /// Asks whether to go on, in verbs that have `--yes`; anything but yes is no.
  ///
  /// - Parameters:
  ///   - question: with its question mark.
  ///   - what: what is asked for, for the error where nobody can be asked.
  ///   - refusal: what is said after a no.
  /// - Throws: exit 130 after a no, exit 7 where nobody can be asked.
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

  /// Whether an answer is a yes; anything else is a no.
  func isYes(_ answer: String) -> Bool {
    ["y", "yes"].contains(trimmed(answer).lowercased())
  }

  /// A line that is typed with echo; `nil` at the end of the input.
  func line(at terminal: Terminal) throws(CommandError) -> String? {
    do throws(TerminalError) {
      return try terminal.readVisible(interrupt: interrupt)
    } catch {
      throw CommandError(error)
    }
  }

  private func hideInput(of terminal: Terminal) throws(CommandError) {
    do throws(TerminalError) { try terminal.hideInput() } catch { throw CommandError(error) }
  }

  private func ask(_ question: String, _ terminal: Terminal) throws(CommandError) -> SharedSecret {
    do throws(TerminalError) {
      defer { output.endLine() }
      let secret = try terminal.readSecret(interrupt: interrupt) { output.ask(question) }
      if let secret { return secret }
    } catch {
      throw CommandError(error)
    }
    throw CommandError(.presence, "nothing was given")
  }

  private func trimmed(_ line: String) -> String {
    let start = line.firstIndex { $0 != " " && $0 != "\t" } ?? line.endIndex
    let end = line.lastIndex { $0 != " " && $0 != "\t" }.map { line.index(after: $0) }
    return String(line[start..<(end ?? start)])
  }
}
