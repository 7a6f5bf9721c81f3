import System
import TestSupport
import Testing

/// A real shell that prints its completions at the end of a line, one a line.
enum CompletionShell {
  /// Lines with their completions, which are the same in each shell.
  static let lines = [
    ("thumblatch l", "lock login logout"), ("thumblatch fingers ", "delete enroll list"),
    ("thumblatch --json account rename ", "me work"), ("thumblatch account rename me ", ""),
    ("thumblatch provider apply ", "dev"), ("thumblatch provider apply dev ", "me work"),
    ("thumblatch unlock --for ", ""), ("thumblatch unlock --for 5m w", "work"),
    ("thumblatch register ", ""), ("thumblatch login --provider ", "dev"),
    ("thumblatch audit ", "me verify work"), ("thumblatch policy remote d", "default deny"),
    ("thumblatch provider add x --template git", "github gitlab"), ("thumblatch exec m", "me"),
    ("thumblatch exec me -- printen", "printenv"), ("thumblatch exec -- ls --js", ""),
    ("thumblatch lock --", "--help --json --no-input --private"),
  ]

  /// Runs a script.
  ///
  /// - Parameters:
  ///   - path: the shell.
  ///   - arguments: its arguments, with a script that prints the completions.
  ///   - variables: its environment in addition to `PATH` and `LC_ALL`.
  /// - Throws: what hinders the start of the shell.
  /// - Returns: the completions, joined by spaces.
  static func output(
    of path: String,
    _ arguments: [String],
    variables: [String] = []
  ) throws -> String {
    let (reading, writing) = try UnixSocket.pair()
    let out = Descriptor(owning: reading)
    let child: ChildProcess
    do {
      let ofChild = Descriptor(owning: writing)
      child = try ChildProcess(
        path: path,
        arguments: arguments,
        environment: ["PATH=/usr/bin:/bin", "LC_ALL=C"] + variables,
        descriptors: [-1, ofChild.number, 2]
      )
    }
    let text = String(decoding: try out.readAll(limit: 64 * 1024), as: UTF8.self)
    #expect(try child.wait() == .exited(0))
    return text.split(separator: "\n").joined(separator: " ")
  }
}
