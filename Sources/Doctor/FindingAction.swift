internal import Glibc
public import System

/// An act that is the remedy of a finding, and that a program can offer to its person.
public enum FindingAction: Sendable, Equatable {
  /// Gives a file or a directory of the person these permissions.
  case setMode(UInt32, path: String)
  /// A sign-in to an account that is there.
  case signIn(account: String)
  /// Presence protection of an account.
  case protect(account: String)
  /// A command to run at a terminal.
  ///
  /// It may hold text from outside, such as a path.
  case run(String)

  /// The command that does the same at a terminal.
  public var command: String {
    switch self {
    case .setMode(let mode, let path): "chmod \(String(mode, radix: 8)) \(Self.quoted(path))"
    case .signIn(let account): "thumblatch login \(Self.quoted(account))"
    case .protect(let account): "thumblatch presence enable \(Self.quoted(account))"
    case .run(let command): command
    }
  }

  /// A word for a POSIX shell, in quotes if it needs them.
  static func quoted(_ word: String) -> String {
    let isPlain =
      !word.isEmpty
      && word.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "/._-+@".utf8.contains(byte)
        }
      }
    return isPlain ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
  }

  /// O_PATH of open(2), which the headers hide from Swift (asm-generic/fcntl.h).
  private static let openPath: Int32 = 0o10_000_000

  /// Gives a file or a directory of the person permissions, without following a link at the end.
  ///
  /// - Throws: `EPERM` if it belongs to another user, and errors of open(2) and chmod(2).
  public static func set(mode: UInt32, of path: String) throws(SystemError) {
    // O_PATH: also a directory that its owner may not read.
    let number = unsafe open(path, openPath | O_NOFOLLOW | O_CLOEXEC)
    guard number >= 0 else { throw SystemError("open", code: errno, subject: path) }
    let file = Descriptor(owning: number)
    guard try file.status().owner == ThisProcess.user else {
      throw SystemError("chmod", code: EPERM, subject: path)
    }
    // The opened file, whatever the path names now (proc(5)).
    guard unsafe chmod("/proc/self/fd/\(file.number)", mode) == 0 else {
      throw SystemError("chmod", code: errno, subject: path)
    }
  }
}
