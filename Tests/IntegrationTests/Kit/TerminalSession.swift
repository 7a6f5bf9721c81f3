import Glibc
import System
import TestSupport
import Testing

/// A program at its own terminal: the test types, and reads the screen.
final class TerminalSession {
  /// TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)), which Glibc's module does not import.
  private static let unlock: UInt = 0x4004_5431
  private static let number: UInt = 0x8004_5430

  let child: ChildProcess
  /// The whole output so far.
  var screen: String { String(decoding: shown, as: UTF8.self) }
  /// The bytes of the output, because a multi-byte letter may arrive in pieces.
  private var shown: [UInt8] = []
  private let keyboard: Descriptor
  fileprivate var seen = 0

  init(_ command: [String], environment: [String], columns: UInt16) throws {
    let number = unsafe Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard number >= 0 else { throw SystemError("open", code: errno, subject: "/dev/ptmx") }
    keyboard = Descriptor(owning: number)
    var unlocked: Int32 = 0
    var index: UInt32 = 0
    var size = winsize()
    size.ws_col = columns
    size.ws_row = 24
    guard unsafe ioctl(number, Self.unlock, &unlocked) == 0,
      unsafe ioctl(number, Self.number, &index) == 0,
      unsafe ioctl(number, UInt(TIOCSWINSZ), &size) == 0
    else { throw SystemError("ioctl", code: errno) }
    let side = unsafe Glibc.open("/dev/pts/\(index)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard side >= 0 else { throw SystemError("open", code: errno, subject: "/dev/pts") }
    let theirs = Descriptor(owning: side)
    child = try ChildProcess(
      path: "/usr/bin/setsid",
      // The same state that a shell leaves: /dev/tty is this terminal.
      arguments: ["--ctty"] + command,
      environment: environment,
      descriptors: [theirs.number, theirs.number, theirs.number]
    )
  }

  /// Waits until a text appears after the last expected text.
  ///
  /// It fails if the program shows nothing for two minutes.
  ///
  /// Returns the output until then.
  @discardableResult
  func expect(
    _ text: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    while true {
      if let passed = find(text) { return passed }
      guard try look() else {
        Issue.record(
          "expected \(text.debugDescription) on: \(screen)",
          sourceLocation: sourceLocation
        )
        throw SystemError("expect", code: ETIMEDOUT, subject: text)
      }
    }
  }

  /// Whether a text appears after the last expected text within a time.
  ///
  /// If so, it counts as expected.
  func shows(_ text: String, withinMilliseconds time: Int32) throws -> Bool {
    while true {
      if find(text) != nil { return true }
      guard try look(milliseconds: time) else { return false }
    }
  }

  /// The output between the last expected text and this text, which then counts as expected.
  private func find(_ text: String) -> String? {
    let rest = Array(shown.dropFirst(seen))
    guard let found = rest.firstRange(of: Array(text.utf8)) else { return nil }
    seen += found.upperBound
    return String(decoding: rest[..<found.lowerBound], as: UTF8.self)
  }

  /// Types a text unchanged.
  func type(_ text: String) throws { try keyboard.write(text) }

  /// Types a line.
  func enter(_ line: String = "") throws { try type(line + "\n") }

  /// Waits for the end of the program, and returns the rest of its output.
  @discardableResult
  func end(
    _ status: Int32 = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    while try look() {}
    let end = try child.wait()
    #expect(end == .exited(status), "\(screen)", sourceLocation: sourceLocation)
    return screen
  }

  /// Reads new output.
  ///
  /// False at the end, or if no output comes within the time.
  fileprivate func look(milliseconds: Int32 = 120_000) throws -> Bool {
    guard try keyboard.waitReadable(milliseconds: milliseconds) else { return false }
    var chunk = [UInt8](repeating: 0, count: 4096)
    let result: Result<Int, SystemError> = unsafe chunk.withUnsafeMutableBytes { buffer in
      Result { () throws(SystemError) in try unsafe keyboard.read(into: buffer) }
    }
    // The other side is closed: EIO (pts(4)).
    guard let count = try? result.get(), count > 0 else { return false }
    shown += chunk.prefix(count)
    return true
  }
}

extension TerminalSession {
  /// Waits until an address appears on its own line, and returns it.
  func link() throws -> String {
    try expect("http")
    let begun = seen - 4
    try expect("\n")
    let line = Array(screen.utf8.dropFirst(begun)).prefix { $0 != 13 && $0 != 10 && $0 != 32 }
    return String(decoding: line, as: UTF8.self)
  }

  /// Waits until the code of a device sign-in appears in its frame, and returns it.
  func userCode() throws -> String {
    try expect("┃   ")
    let begun = seen
    try expect("   ┃")
    return String(decoding: screen.utf8.dropFirst(begun).prefix(seen - begun - 6), as: UTF8.self)
  }

  /// Waits for the end of the program, which must be a failure, and returns the rest of its output.
  func failed() throws -> String {
    while try look() {}
    let end = try child.wait()
    #expect(end != .exited(0), "\(screen)")
    return screen
  }
}
