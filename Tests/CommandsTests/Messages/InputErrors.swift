import Glibc
import JSON
import System
import TestSupport

@testable import Commands

/// The errors of standard input, of standard output, and of files that a command writes.
enum InputErrors {
  static var entries: [String] {
    get throws { try typed + channels + files }
  }

  /// The errors of the text on standard input.
  private static var typed: [String] {
    get throws {
      [
        try entry("a password of nothing") { input in
          _ = try StandardInput.password(interrupt: nil, from: try input("\n"))
        },
        try entry("a password with a NUL") { input in
          _ = try StandardInput.password(interrupt: nil, from: try input("a\0b\n"))
        },
        try entry("a password that is not UTF-8") { _ in
          let file = try MemoryFile()
          try file.descriptor.write([0x70, 0xFF])
          lseek(file.descriptor.number, 0, SEEK_SET)
          _ = try StandardInput.password(interrupt: nil, from: file.descriptor.number)
        },
        try entry("a password that is too long") { input in
          let long = String(repeating: "a", count: 2000)
          _ = try StandardInput.password(interrupt: nil, from: try input(long))
        },
        try entry("a client secret of nothing") { input in
          let number = try input("\n")
          _ = try StandardInput.password(
            interrupt: nil,
            from: number,
            option: "--client-secret-stdin",
            called: "client secret"
          )
        },
        try entry("no token") { input in
          _ = try StandardInput.rejectedToken(interrupt: nil, from: try input("\n"))
        },
        try entry("a token with a space character that none has") { input in
          _ = try StandardInput.rejectedToken(interrupt: nil, from: try input("a\tb"))
        },
        try entry("a token that is too long") { input in
          let long = String(repeating: "a", count: 70_000)
          _ = try StandardInput.rejectedToken(interrupt: nil, from: try input(long))
        },
      ]
    }
  }

  /// The errors of standard input and standard output themselves.
  private static var channels: [String] {
    get throws {
      [
        try entry("standard input is a terminal") { _ in
          let terminal = try PseudoTerminal()
          let side = try terminal.open()
          _ = try StandardInput.password(interrupt: nil, from: side.number)
        },
        try entry("the rejected token comes from a terminal") { _ in
          let terminal = try PseudoTerminal()
          let side = try terminal.open()
          _ = try StandardInput.rejectedToken(interrupt: nil, from: side.number)
        },
        try entry("standard input is a directory") { _ in
          let directory = try Directory(path: "/")
          _ = try StandardInput.password(interrupt: nil, from: directory.descriptor.number)
        },
        try entry("standard output is full") { _ in
          let full = Descriptor(owning: unsafe open("/dev/full", O_WRONLY | O_CLOEXEC))
          try Output(json: false, out: full.number) { _ in nil }.data("a token")
        },
        try entry("a body for a terminal") { _ in
          let terminal = try PseudoTerminal()
          let side = try terminal.open()
          let answer = try MemoryFile()
          try answer.descriptor.write("a\0b")
          try RequestText.print(answer, on: Output(json: false, out: side.number) { _ in nil })
        },
      ]
    }
  }

  /// The errors of files that a command writes or reads.
  private static var files: [String] {
    get throws {
      [
        try entry("-o: a directory") { _ in _ = try ResultFile("/etc") },
        try entry("-o: no name") { _ in _ = try ResultFile("/nowhere/..") },
        try entry("-o: no directory") { _ in _ = try ResultFile("/nowhere/file") },
        try entry("-d: a file that is not there") { _ in
          _ = try RequestBody("@/nowhere", interrupt: nil)
        },
        try entry("-d: a directory") { _ in _ = try RequestBody("@/etc", interrupt: nil) },
      ]
    }
  }

  /// The entry of a body that fails; it gets a function that makes an input of a text.
  private static func entry(
    _ name: String,
    _ body: ((String) throws -> Int32) throws -> Void
  ) throws -> String {
    let file = try MemoryFile()
    do {
      try body { text in
        try file.descriptor.write(text)
        lseek(file.descriptor.number, 0, SEEK_SET)
        return file.descriptor.number
      }
    } catch let error as CommandError {
      return ListedErrors.entry(name, error)
    }
    return "[\(name)]\n(nothing)\n"
  }
}
