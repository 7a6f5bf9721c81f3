import System
import TestSupport

/// Sandboxes in which a person's programs run.
extension Someone {
  /// Where the programs are in a sandbox: as a package installs them.
  static let installed = "/usr/libexec/thumblatch"

  /// The words that run a command in a user namespace, whose map root writes:
  /// `INSIDE:OUTSIDE:COUNT,...`.
  func namespace(_ map: String) -> [String] {
    let driver = BuiltPrograms.sourceDirectory + "/Tests/IntegrationTests/Drivers/user-namespace.py"
    return ["/usr/bin/python3", driver, "\(user.user)", map]
  }

  /// The words that run a command in a sandbox of bubblewrap.
  ///
  /// It maps only this person, sees the files of the machine, and can write only in the home
  /// directory.
  func bubblewrap(_ options: [String] = []) -> [String] {
    running + [
      "/usr/bin/bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
      // The end of the command ends an engine that it starts.
      "--unshare-pid", "--die-with-parent",
      "--tmpfs", "/usr/libexec", "--ro-bind", programs, Self.installed,
      "--bind", home, home,
    ] + options
  }

  /// Runs a command by these words, without a terminal.
  func run(
    by words: [String],
    _ command: [String],
    variables: [String] = []
  ) throws -> Outcome {
    let run = try Run(
      "/usr/bin/setsid",
      words + command,
      environment: environment + variables
    )
    return Outcome(text: try run.text(), end: try run.child.wait())
  }

  /// Runs `thumblatch` in a sandbox of bubblewrap.
  func inBubblewrap(
    _ arguments: String...,
    options: [String] = []
  ) throws -> Outcome {
    try run(by: bubblewrap(options), [Self.installed + "/thumblatch"] + arguments)
  }
}
