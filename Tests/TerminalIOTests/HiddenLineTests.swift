import Glibc
import SecretMemory
import System
import TerminalIO
import TestSupport
import Testing

/// A password that is typed at a terminal, by a command or in an app.
@Suite(.timeLimit(.minutes(10)))
final class HiddenLineTests {
  private let screen: PseudoTerminal
  private let terminal: Terminal
  private let interrupt: Descriptor
  private let key: Descriptor

  init() throws {
    screen = try PseudoTerminal()
    terminal = Terminal(try screen.open(), kind: "xterm")
    let (interrupt, key) = try UnixSocket.pair()
    self.interrupt = Descriptor(owning: interrupt)
    self.key = Descriptor(owning: key)
  }

  /// The result of a question that is answered by these keys.
  private func read(
    _ keys: String,
    at terminal: Terminal? = nil,
    maximum: Int = Terminal.maximumLine,
    until deadline: BootInstant? = nil
  ) throws -> Result<String?, TerminalError> {
    let terminal = terminal ?? self.terminal
    let result = Result { () throws(TerminalError) in
      try terminal.readSecret(maximum: maximum, interrupt: interrupt.number, deadline: deadline) {
        terminal.ask("Password: ")
        #expect(throws: Never.self) { try self.screen.type(keys) }
      }
    }
    #expect(try screen.echoes())
    screen.look()
    #expect(screen.screen.contains("Password: "))
    #expect(!screen.screen.contains("pw"))
    return result.map { secret in
      secret?.bytes.withBytes { span in
        String(decoding: (0..<span.count).map { span[$0] }, as: UTF8.self)
      }
    }
  }

  @Test(arguments: [
    ("pw\n", "pw"), ("pw\r", "pw"), ("\n", ""), ("wrong\u{15}pw\n", "pw"),
    // Backspace, in either encoding, removes a letter of two bytes.
    ("pwé\u{7F}\n", "pw"), ("pwé\u{8}x\n", "pwx"), ("\u{7F}pw\n", "pw"),
  ])
  func keysEditTheLine(_ keys: String, _ line: String) throws {
    #expect(try read(keys).get() == line)
  }

  @Test(arguments: ["\u{4}", "pw\u{4}"])
  func ctrlDEndsTheInput(_ keys: String) throws {
    #expect(try read(keys).get() == nil)
  }

  /// A signal would end an app with the echo off.
  @Test
  func ctrlCIsAKeyInAnApp() throws {
    let terminal = Terminal(try screen.open(), kind: "xterm", takesInterruptKey: true)
    #expect(try read("pw\u{3}", at: terminal).get() == nil)
  }

  @Test
  func aLineThatIsTooLongIsNotCut() throws {
    #expect(try read("1234\n", maximum: 4).get() == "1234")
    #expect(try read("12345\n", maximum: 4) == .failure(.tooLong(maximum: 4)))
    // A terminal that collects lines cuts them at 4095 bytes.
    let long = String(repeating: "x", count: 4000)
    #expect(try read(long + "\n", maximum: 4096).get() == long)
  }

  @Test
  func aNULIsRefused() throws {
    #expect(try read("a\u{0}b\n") == .failure(.holdsNUL))
  }

  /// A terminal in a locale without UTF-8 sends such bytes.
  @Test
  func bytesThatAreNotUTF8AreRefused() throws {
    #expect(throws: TerminalError.notText) {
      try self.terminal.readSecret(interrupt: self.interrupt.number) {
        #expect(throws: Never.self) { try self.screen.paste([0x70, 0xFC, 0x0A]) }
      }
    }
  }

  @Test
  func theInterruptAndTheDeadlineEndTheWait() throws {
    let soon = BootInstant(nanoseconds: BootInstant.now.nanoseconds + 50_000_000)
    #expect(try read("pw", until: soon).get() == nil)
    try key.write("x")
    #expect(try read("pw") == .failure(.interrupted))
  }

  @Test
  func whatWasTypedBeforeTheQuestionIsDropped() throws {
    try screen.pressEnter()
    #expect(try read("later\n").get() == "later")
  }
}
