import System

/// Runs a program of the system to its end.
public func run(_ path: String, _ arguments: [String]) throws {
  let end = try ChildProcess(
    path: path,
    arguments: arguments,
    environment: ["PATH=/usr/bin:/bin"],
    descriptors: [-1, -1, -1]
  ).wait()
  guard end == .exited(0) else { throw SystemError(path, code: 1) }
}
