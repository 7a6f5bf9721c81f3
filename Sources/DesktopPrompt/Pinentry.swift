internal import Glibc
internal import SecretMemory
internal import System

/// A pinentry, the program that asks for a password in a window of the desktop.
///
/// It speaks the Assuan protocol (https://www.gnupg.org/documentation/manuals/assuan/). The answer
/// is read straight into locked memory.
final class Pinentry {
  /// The texts of the window.
  struct Window {
    let description: String
    let question: String
    /// Remarks, such as why the last answer did not pass; `nil` if there are none.
    var error: String?
  }

  /// The codes of libgpg-error for an end by the person or by the time limit: `GPG_ERR_TIMEOUT`,
  /// `GPG_ERR_CANCELED` and `GPG_ERR_FULLY_CANCELED`.
  ///
  /// The upper half of an error number says which program reports it.
  private static let cancellations: Set<UInt32> = [62, 99, 198]
  /// The most bytes of a line, without its end: a pinentry ends at a longer one.
  private static let longestLine = 1000

  private let child: ChildProcess
  private let input: AssuanInput
  private let interrupt: Int32?
  /// How long the program may take to answer a command that needs no person, in seconds.
  private let replySeconds: Int64
  /// How long the program may take to end, in seconds.
  private let endSeconds: Int64

  init(
    _ path: String,
    on desktop: Desktop,
    interrupt: Int32?,
    replySeconds: Int64,
    endSeconds: Int64
  ) throws(SystemError) {
    let (ours, theirs) = try UnixSocket.pair()
    let near = Descriptor(owning: ours)
    let far = Descriptor(owning: theirs)
    child = try ChildProcess(
      path: path,
      arguments: [],
      environment: desktop.environment,
      descriptors: [far.number, far.number, -1],
      newSession: true,
      endsWithParent: true
    )
    input = try AssuanInput(near)
    self.interrupt = interrupt
    self.replySeconds = replySeconds
    self.endSeconds = endSeconds
  }

  deinit {
    // A pinentry does not notice the end of its input while its window is open.
    child.send(signal: SIGTERM)
    // A program that has closed its output may still run.
    child.finish(withinMilliseconds: Int32(clamping: endSeconds * 1000))
  }

  /// Whether it says that it asks in a window.
  ///
  /// The flavours `curses` and `tty` would ask at a terminal that is not there.
  func opensWindow() -> Bool {
    let limit = BootInstant.now.advanced(bySeconds: replySeconds)
    guard case .ok = reply(limit), (try? input.send("GETINFO flavor")) != nil,
      case .data(let flavour) = reply(limit), case .ok = reply(limit)
    else { return false }
    let names = flavour.text.split(separator: ":")
    return !names.isEmpty && !names.contains { $0 == "curses" || $0 == "tty" || $0 == "emacs" }
  }

  /// Asks for a password.
  ///
  /// - Parameters:
  ///   - window: what the window shows.
  ///   - deadline: the end of the wait.
  ///   - events: the descriptor that is readable when the prompt may have ended.
  ///   - hasEnded: whether it has.
  /// - Returns: `nil` if the person cancelled, the time is over, or the program or the prompt has
  ///   ended.
  /// - Throws: `noPinentry` if the program fails or finds no display, `tooLong` for a description
  ///   that it cannot show whole.
  func ask(
    _ window: Window,
    until deadline: BootInstant,
    events: () -> Int32,
    hasEnded: () -> Bool
  ) throws(DesktopError) -> SharedSecret? {
    let limit = BootInstant.now.advanced(bySeconds: replySeconds)
    let lines = DesktopText.lines(of: window.description)
    // A truncated question must not be approved.
    guard let description = Self.command("SETDESC", whole: lines) else { throw .tooLong }
    var commands = [
      "OPTION no-grab", "SETTITLE Thumblatch", description,
      Self.command("SETPROMPT", window.question), "SETOK OK", "SETCANCEL Cancel",
    ]
    if let error = window.error { commands.append(Self.command("SETERROR", error)) }
    for command in commands {
      guard (try? input.send(command)) != nil else { throw .noPinentry }
      switch reply(limit) {
      // An option that this pinentry does not know is not an error.
      case .ok, .refused: continue
      case .data, .ended: throw .noPinentry
      }
    }
    // The person may have acted while the window was prepared.
    if hasEnded() { return nil }
    guard (try? input.send("GETPIN")) != nil else { throw .noPinentry }
    var answer = AssuanInput.Data.empty
    while true {
      switch reply(deadline, events: events, hasEnded) {
      case .data(let data): answer = data
      case .ok: return answer.secret
      case .refused(let number):
        guard Self.cancellations.contains(number & 0xFFFF) else { throw .noPinentry }
        return nil
      case .ended: return nil
      }
    }
  }

  /// The next line of the program; `ended` at the deadline, at an interrupt and when the prompt
  /// ends.
  private func reply(
    _ deadline: BootInstant,
    events: () -> Int32? = { nil },
    _ hasEnded: () -> Bool = { false }
  ) -> AssuanInput.Line {
    while true {
      if let line = input.takeLine() { return line }
      let readiness = try? Readiness.wait(
        for: input.socket.number,
        input: events(),
        interrupt: interrupt,
        deadline: deadline
      )
      switch readiness {
      case .ready?: guard input.receive() else { return .ended }
      case .input? where !hasEnded(): continue
      default: return .ended
      }
    }
  }

  /// A command with a text; `nil` if its line would be too long.
  static func command(_ name: String, whole text: String) -> String? {
    let line = name + " " + escaped(text)
    return line.utf8.count > longestLine ? nil : line
  }

  /// A command with a text, which is truncated if the line would be too long.
  static func command(_ name: String, _ text: String) -> String {
    if let whole = command(name, whole: text) { return whole }
    let end = "..."
    var line = name + " "
    for character in text {
      let next = escaped(String(character))
      guard line.utf8.count + next.utf8.count + end.utf8.count <= longestLine else { break }
      line += next
    }
    return line + end
  }

  /// A text as one line of the protocol: "%0A" is a line feed, and "%25" a percent sign.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": escaped += "%25"
      case "\n": escaped += "%0A"
      case "\r": escaped += "%0D"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
