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

extension Someone {
  /// A PAM stack that accepts the right password and then waits until `go` is called.
  ///
  /// `words` are its message before it waits.
  ///
  /// PAM's program outlives a test that does not call it, so it waits for a minute at most.
  func haltPAM(saying words: String = "") throws -> (reached: String, go: () throws -> Void) {
    let reached = readerDirectory + "/reached"
    let gate = readerDirectory + "/gate"
    let (says, option) = words.isEmpty ? (":", "quiet") : ("echo \(words)", "quiet stdout")
    try IntegrationTests.shell(
      """
      cd \(checkPrograms)
      mkfifo -m 666 \(gate)
      { echo '#!/bin/sh'; echo ': >>\(reached)'; echo '\(says)'
      echo 'exec timeout 60 head -n 1 \(gate)'; } >halt
      chmod 755 halt
      cp pam.d/thumblatch stack
      halt='auth required pam_exec.so \(option) \(checkPrograms)/halt'
      awk -v halt="$halt" '{ print } $1 == "auth" { print halt }' <stack >stack.new
      rm pam.d/thumblatch
      install -m 644 stack.new pam.d/thumblatch
      """
    )
    return (reached, { try IntegrationTests.shell("rm -f \(reached); echo >\(gate)") })
  }
}
