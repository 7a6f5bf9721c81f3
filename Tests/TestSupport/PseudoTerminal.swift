internal import Glibc
package import System

/// A terminal of a test.
///
/// The program gets one side, and the test types and reads on the other.
package final class PseudoTerminal: @unchecked Sendable {
  /// TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)), which Glibc's module does not import.
  private static let unlock: UInt = 0x4004_5431
  private static let number: UInt = 0x8004_5430

  package let keyboard: Descriptor
  private let path: String
  /// The whole output so far.
  package var screen: String { String(decoding: shown, as: UTF8.self) }
  /// The bytes of the output, because a multi-byte letter may arrive in pieces.
  private var shown: [UInt8] = []

  /// Opens a pair (pts(4)).
  package init(columns: UInt16 = 80) throws {
    let number = unsafe Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard number >= 0 else { throw SystemError("open", code: errno, subject: "/dev/ptmx") }
    keyboard = Descriptor(owning: number)
    var unlocked: Int32 = 0
    var index: UInt32 = 0
    guard unsafe ioctl(number, Self.unlock, &unlocked) == 0,
      unsafe ioctl(number, Self.number, &index) == 0
    else { throw SystemError("ioctl", code: errno) }
    path = "/dev/pts/\(index)"
    var size = winsize()
    size.ws_col = columns
    size.ws_row = 24
    guard unsafe ioctl(number, UInt(TIOCSWINSZ), &size) == 0 else {
      throw SystemError("ioctl", code: errno)
    }
    try keyboard.setNonblocking(true)
  }

  /// The program's side.
  package func open() throws -> Descriptor {
    let number = unsafe Glibc.open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard number >= 0 else { throw SystemError("open", code: errno, subject: path) }
    return Descriptor(owning: number)
  }

  /// Whether the terminal echoes input.
  package func echoes() throws -> Bool {
    let side = try open()
    var modes = termios()
    guard unsafe tcgetattr(side.number, &modes) == 0 else {
      throw SystemError("tcgetattr", code: errno)
    }
    return modes.c_lflag & tcflag_t(ECHO) != 0
  }

  package func type(_ text: String) throws {
    try keyboard.write(text)
  }

  /// Presses Enter, and returns once the program can read it.
  ///
  /// Input takes a moment to reach the other side, and only its echo (termios(3)) shows that it
  /// has.
  package func pressEnter() throws {
    let side = try open()
    var modes = termios()
    guard unsafe tcgetattr(side.number, &modes) == 0 else {
      throw SystemError("tcgetattr", code: errno)
    }
    modes.c_lflag |= tcflag_t(ECHO)
    guard unsafe tcsetattr(side.number, TCSANOW, &modes) == 0 else {
      throw SystemError("tcsetattr", code: errno)
    }
    look()
    let before = shown.count
    try type("\n")
    try wait("the echo of Enter") { self.shown.count > before }
  }

  /// Types more than the terminal accepts at once.
  package func paste(_ bytes: [UInt8]) throws {
    let deadline = BootInstant.now.advanced(bySeconds: 60)
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe write(
          keyboard.number,
          buffer.baseAddress.map { unsafe $0 + done },
          bytes.count - done
        )
      }
      if count > 0 {
        done += count
      } else {
        // The program reads no more, so the rest is not needed.
        guard errno == EAGAIN, BootInstant.now < deadline else { return }
        var entry = pollfd(fd: keyboard.number, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&entry, 1, 100)
      }
    }
  }

  /// Waits until the screen has shown a text this many times, at most a minute.
  package func waitFor(_ text: String, times: Int = 1) throws {
    try wait(text) { self.screen.ranges(of: text).count >= times }
  }

  private func wait(_ text: String, until isShown: () -> Bool) throws {
    let deadline = BootInstant.now.advanced(bySeconds: 60)
    while !isShown() {
      guard BootInstant.now < deadline else {
        throw SystemError("the screen shows: \(screen)", code: ETIMEDOUT, subject: text)
      }
      if try keyboard.waitReadable(milliseconds: 100) { look() }
    }
  }

  /// Reads the output so far.
  package func look() {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let result: Result<Int, SystemError> = unsafe chunk.withUnsafeMutableBytes { buffer in
        Result { () throws(SystemError) in try unsafe keyboard.read(into: buffer) }
      }
      guard let count = try? result.get(), count > 0 else { return }
      shown += chunk.prefix(count)
    }
  }
}
