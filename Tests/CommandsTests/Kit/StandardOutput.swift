import Glibc
import System
import TerminalIO
import TestSupport

@testable import Commands

/// The kind of standard output of a verb.
enum StandardOutput {
  case pipe, terminal
  /// A file on a full disk.
  case full

  /// An open output of this kind; `nil` for a pipe.
  final class Opened {
    private let terminal: PseudoTerminal?
    private let descriptor: Descriptor
    var number: Int32 { descriptor.number }

    init(_ terminal: PseudoTerminal?, _ descriptor: consuming Descriptor) {
      self.terminal = terminal
      self.descriptor = descriptor
    }

    /// The output so far.
    var text: String {
      terminal?.look()
      return terminal?.screen ?? ""
    }
  }

  func open() throws -> Opened? {
    switch self {
    case .pipe: return nil
    case .terminal:
      let terminal = try PseudoTerminal(columns: 10_000)
      return Opened(terminal, try terminal.open())
    case .full:
      return Opened(nil, Descriptor(owning: unsafe Glibc.open("/dev/full", O_WRONLY | O_CLOEXEC)))
    }
  }
}
