internal import Glibc
internal import System
internal import VaultInterface

/// `exec`: an access token for one command only.
extension TokenVerbs {
  /// A shell names a descriptor by one digit, and every process may have this many.
  private static let descriptors: ClosedRange<Int32> = 3...255

  static let exec = Verb(
    "exec",
    [.account, Verb.Operand("CMD", .command)],
    options: [
      name,
      Verb.Option(
        "--fd",
        "NUMBER",
        "pass the token as a line in a pipe at this descriptor (3 or higher), not in a variable"
      ),
    ] + options,
    summary: "run a command with an access token in its environment",
    details: """
      Gets a token as the verb token does, and then replaces itself with CMD, so no process \
      remains between CMD and its caller. CMD is looked up in PATH. Arguments, terminal, signals, \
      working directory and open files are passed on unchanged. The token is not renewed while CMD \
      runs: see --min-ttl. With --rejected, the standard input of CMD is at end-of-file.
      Programs of your user can read the environment of CMD, and CMD's child processes inherit it. \
      With --fd, only the program that reads the pipe gets the token, once.
      Once CMD runs, the exit status is that of CMD. Before that it is one of "EXIT STATUS", and a \
      line "thumblatch: error: ..." is on standard error; it is 2 if CMD cannot be run.
      """
  ) { session throws(CommandError) in
    let words = session.arguments.command
    let delivery = try delivery(session)
    // A command that is missing must not cost a touch.
    let launch: CommandLaunch
    do throws(SystemError) {
      launch = try CommandLaunch(words: session.commandWords, delivery: delivery)
    } catch {
      throw .cannotRun(words[0], error)
    }
    let token = try requested(session).accessToken
    session.leaveTerminal()
    session.hangUp()
    try session.launch?(launch, token)
  }

  private static func delivery(_ session: Session) throws(CommandError) -> CommandLaunch.Delivery {
    guard let word = session.arguments.value("--fd") else {
      return .variable(try variable(session).text)
    }
    guard !session.arguments.has(name.name) else {
      throw .usage("only one of --name, --fd can be used")
    }
    guard let number = Int32(word), descriptors.contains(number) else {
      throw .usage(
        "--fd must be a number from \(descriptors.lowerBound) to \(descriptors.upperBound)"
      )
    }
    return .descriptor(number)
  }
}

extension CommandLaunch {
  /// Replaces this process, whose settings become those that it inherited.
  func run(
    _ token: String,
    as inherited: InheritedState,
    interrupt: Int32
  ) throws(CommandError) {
    // From here on a signal ends the process. An earlier one is still to be read.
    inherited.restore()
    let now = BootInstant.now
    if (try? Readiness.wait(for: -1, interrupt: interrupt, deadline: now)) == .interrupted {
      throw .interrupted
    }
    do throws(SystemError) {
      try replaceThisProcess(secret: token)
    } catch {
      throw .cannotRun(String(decoding: words.first ?? [], as: UTF8.self), error)
    }
  }
}

extension CommandError {
  /// The error for a command that is not found, or that the kernel refuses.
  fileprivate static func cannotRun(_ name: String, _ error: SystemError) -> CommandError {
    guard error.code == ENOENT, !name.contains("/") else {
      return .usage("\(name) cannot be run: \(error)")
    }
    return .usage("command not found: \(name)")
  }
}
