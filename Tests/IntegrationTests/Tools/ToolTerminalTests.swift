import System
import TestSupport
import Testing

/// Helpers at the terminal of their tool, which may itself be reading from it.
@Suite(.serialized)
struct ToolTerminalTests {
  private let person: Person

  /// A person whose account is locked, so that each token needs a check.
  init() throws {
    person = try Person()
    try person.register()
    try person.enrollFinger()
    let enable = try person.terminal("presence", "enable", "me")
    try enable.expect("Touch the fingerprint reader")
    try person.touch()
    try enable.end()
    try person.run("host", "add", "git.example.org", "me").succeeded()
    try person.expireTokens()
    // The trace would last as long as an engine that a traced command has started.
    try person.run("status").succeeded()
  }

  /// The trace of the files that a command at a terminal opens.
  private func trace(
    _ command: String,
    ends code: Int,
    _ act: (TerminalSession) throws -> Void = { _ in }
  ) throws -> String {
    let path = person.base + "/trace"
    let terminal = try TerminalSession(
      ["/usr/bin/strace", "-f", "-qq", "-o", path, "-e", "trace=open,openat"] + person.running
        + ["/bin/sh", "-c", "PATH=\(person.programs):$PATH; \(command); echo ended: $?"],
      environment: person.environment,
      columns: 200
    )
    try act(terminal)
    try terminal.expect("ended: \(code)")
    _ = try terminal.end()
    return try shell("cat \(path)")
  }

  @Test
  func noHelperOpensTheTerminal() throws {
    for command in [
      "thumblatch token me --helper", "thumblatch headers me --helper --within 8s",
      "thumblatch kube-credential me", "printf git.example.org | docker-credential-thumblatch get",
      "printf 'protocol=https\\nhost=git.example.org\\n\\n' | git-credential-thumblatch get",
    ] {
      let opened = try trace(command, ends: command.contains("docker") ? 1 : 7)
      #expect(opened.contains("libc.so") && !opened.contains("\"/dev/tty\""), "\(command)")
    }
    // A command for a person does.
    let opened = try trace("thumblatch token me", ends: 0) { terminal in
      try terminal.expect("Touch the fingerprint reader")
      try person.touch()
    }
    #expect(opened.contains("\"/dev/tty\""))
  }
}
