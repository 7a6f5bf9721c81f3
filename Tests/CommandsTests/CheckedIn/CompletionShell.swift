import System
import TestSupport
import Testing

/// A real shell that prints its completions at the end of a line, one a line.
enum CompletionShell {
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
