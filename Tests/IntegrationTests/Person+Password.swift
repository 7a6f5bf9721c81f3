import Testing

extension Person {
  /// Runs a command that needs the system password for a purpose, and types that.
  ///
  /// `typing` are the questions before it, with their hidden answers.
  @discardableResult
  func allowed(
    _ purpose: String,
    _ arguments: [String],
    typing first: [(question: String, answer: String)] = []
  ) throws -> String {
    let terminal = try terminal(list: arguments)
    for (question, answer) in first {
      try terminal.expect(question)
      try terminal.enter(answer)
    }
    try terminal.expect("Type the system password to \(purpose)")
    try terminal.expect("System password for")
    try terminal.enter(Self.systemPassword)
    let shown = try terminal.end()
    for secret in [Self.systemPassword] + first.map(\.answer) { #expect(!shown.contains(secret)) }
    return shown
  }
}
