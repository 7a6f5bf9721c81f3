internal import Configuration
internal import DesktopPrompt
internal import JSON
internal import PlainText
internal import System

/// A sign-in that the person has chosen in a notice: `thumblatch login` in the browser of the
/// session.
///
/// A thread follows it to its end, because the agent may have to show its prompt.
struct AgentSignIn: Sendable {
  /// The longest result of the command, in bytes.
  private static let longestResult = 64 << 10

  let account: String
  /// Whether the notice is from the private vault.
  let isPrivate: Bool
  /// The beginning of a command for the same vault, as a person types it.
  let program: String

  /// The command signs in at the vault that the notice is about, also if a service is installed.
  var arguments: [String] {
    ["login", account, SignInWay.browser.option, "--json"] + (isPrivate ? ["--private"] : [])
  }

  /// Starts the command, and returns.
  func start() throws(SystemError) {
    let (near, far) = try UnixSocket.pair()
    let result = HeldDescriptor(Descriptor(owning: near))
    let theirs = Descriptor(owning: far)
    let child = try ChildProcess(
      path: try ThisProcess.programPath(),
      arguments: arguments,
      environment: ThisProcess.environmentEntries,
      descriptors: [-1, theirs.number, 2],
      // It continues if the agent ends.
      newSession: true
    )
    try startThread { follow(child, result) }
  }

  /// Waits for the end, and shows why the account is not signed in.
  private func follow(_ child: ChildProcess, _ result: HeldDescriptor) {
    let bytes = (try? result.descriptor.readAll(limit: Self.longestResult)) ?? []
    let end = try? child.wait()
    guard let reason = Self.failure(in: bytes, end) else { return }
    do throws(DesktopError) {
      let desktop = try Desktop(variable: { ThisProcess.environment($0) })
      try NoticeBoard.show(failure: reason, ofLogin: account, program: program, at: desktop)
    } catch {
      let output = Output(json: false) { ThisProcess.environment($0) }
      output.talk(AgentNotices.notShown(error))
    }
  }

  /// Why the account is not signed in, by the result of the command; `nil` if it is.
  static func failure(in result: [UInt8], _ end: ProcessEnd?) -> String? {
    if end == .exited(0) { return nil }
    guard case .object(let object)? = try? JSONReader.read(result) else {
      return "the sign-in ended without a result"
    }
    // A sign-in whose earlier token was not revoked has an account and an exit status.
    guard case .object(let error)? = object["error"] else { return nil }
    return try? error.string("message")
  }
}
