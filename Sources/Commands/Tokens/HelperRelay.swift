internal import System
internal import VaultClient

/// A command that a tool runs for its token, and that must answer before the tool gives up.
///
/// A finger takes longer than many tools wait. So another process makes the request. It continues
/// after this process has ended, and the next call gets the result.
enum HelperRelay {
  static let helper = Verb.Option(
    "--helper",
    "for use by another tool: prompt only at the desktop, and detect a refused token"
  )
  static let within = Verb.Option(
    "--within",
    "DURATION",
    "with --helper: fail after this time, and continue in the background"
  )
  static let options = [helper, within]

  /// Has another process make the request if `--within` is given.
  ///
  /// - Throws: the end of the other process, or exit 5 if it is late; always with `--within`.
  static func run(_ session: Session) throws(CommandError) {
    guard let seconds = try session.duration(within.name) else { return }
    guard session.arguments.has(helper.name), !session.arguments.has("--rejected") else {
      throw .usage(
        "--within needs --helper, and excludes --rejected",
        hint: "such as: thumblatch token work --helper --within 8s"
      )
    }
    let deadline = BootInstant.now.advanced(bySeconds: seconds)
    let request = try Request.start(session)
    guard let data = try request.read(request.output, until: deadline),
      let messages = try request.read(request.errors, until: deadline)
    else { throw late(seconds) }
    let code = try request.end()
    try session.output.data(bytes: data)
    session.output.pass(messages)
    throw CommandError.answered(code)
  }

  /// The error of a request that takes longer.
  static func late(_ seconds: Int64) -> CommandError {
    CommandError(
      .unavailable,
      "no token within \(Durations.text(seconds)): a presence check or the provider needs more"
        + " time",
      hint: "the request goes on; run the command again for its result"
    )
  }

  /// The other process.
  private struct Request: ~Copyable {
    let child: ChildProcess
    let output: Descriptor
    let errors: Descriptor
    let interrupt: Int32?

    /// Starts this program with the same words but `--within`, in a session of its own.
    static func start(_ session: Session) throws(CommandError) -> Request {
      do throws(SystemError) {
        let (output, its) = try UnixSocket.pair()
        let kept = Descriptor(owning: output)
        let given = Descriptor(owning: its)
        let (errors, itsErrors) = try UnixSocket.pair()
        let keptErrors = Descriptor(owning: errors)
        let givenErrors = Descriptor(owning: itsErrors)
        let child = try ChildProcess(
          path: try ThisProcess.programPath(),
          arguments: HelperRelay.words(),
          environment: ThisProcess.environmentEntries,
          descriptors: [-1, given.number, givenErrors.number],
          newSession: true
        )
        return Request(
          child: child,
          output: kept,
          errors: keptErrors,
          interrupt: session.interrupt
        )
      } catch {
        throw CommandError(.bug, "\(error)")
      }
    }

    /// Its output on one of the descriptors when it is done; `nil` if it is late.
    func read(
      _ end: borrowing Descriptor,
      until deadline: BootInstant
    ) throws(CommandError) -> [UInt8]? {
      var bytes: [UInt8] = []
      do throws(VaultClientError) {
        while try Connection.wait(for: end.number, interrupt: interrupt, until: deadline) {
          let part = (try? end.read(atMost: 4096)) ?? []
          if part.isEmpty { return bytes }
          bytes += part
        }
        return nil
      } catch {
        throw CommandError(error)
      }
    }

    func end() throws(CommandError) -> ExitCode {
      if case .exited(let status)? = try? child.wait(), let code = ExitCode(rawValue: status) {
        return code
      }
      throw CommandError(.bug, "the process that asks for the token was killed")
    }
  }

  /// The words of this process without `--within`.
  private static func words() -> [String] {
    var words: [String] = []
    var rest = CommandLine.arguments.dropFirst()
    while let word = rest.popFirst() {
      if word == within.name { _ = rest.popFirst() } else { words.append(word) }
    }
    words.removeAll { $0.hasPrefix(within.name + "=") }
    return words
  }
}
