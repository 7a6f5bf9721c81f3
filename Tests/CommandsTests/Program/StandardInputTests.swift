import SecretMemory
import System
import TestSupport
import Testing

@testable import Commands

struct StandardInputTests {
  /// A descriptor that gives these bytes, then the end.
  private func source(_ bytes: [UInt8]) throws -> Descriptor {
    let (reading, writing) = try UnixSocket.pair()
    let writer = Descriptor(owning: writing)
    try writer.write(bytes)
    return Descriptor(owning: reading)
  }

  private func password(_ bytes: [UInt8]) throws -> Int {
    let source = try source(bytes)
    return try StandardInput.password(interrupt: nil, from: source.number).bytes.count
  }

  private func token(_ bytes: [UInt8]) throws -> String {
    let source = try source(bytes)
    return try StandardInput.rejectedToken(interrupt: nil, from: source.number)
  }

  @Test
  func aPasswordIsTheFirstLine() throws {
    #expect(try password(Array("secret\nrest".utf8)) == 6)
    #expect(try password(Array("no newline".utf8)) == 10)
    #expect(try password([UInt8](repeating: 120, count: 1024) + [10]) == 1024)
  }

  /// A message to the engine cannot hold a password that is not UTF-8.
  @Test(arguments: [
    [], [10], [97, 0, 98, 10], [97, 0xFF, 10], [UInt8](repeating: 120, count: 1025),
  ])
  func aPasswordThatIsNoneIsRefused(_ bytes: [UInt8]) {
    #expect(throws: CommandError.self) { try password(bytes) }
  }

  @Test
  func exactlyOneNewlineIsCutFromARejectedToken() throws {
    #expect(try token(Array("abc\n".utf8)) == "abc")
    #expect(try token(Array("abc".utf8)) == "abc")
    #expect(try token([UInt8](repeating: 120, count: 65_536) + [10]).utf8.count == 65_536)
  }

  @Test(arguments: [
    [], [10], [97, 10, 10], [97, 0], [0xFF], [UInt8](repeating: 120, count: 65_537),
  ])
  func aRejectedTokenThatIsNoneIsRefused(_ bytes: [UInt8]) {
    #expect(throws: CommandError.self) { try token(bytes) }
  }

  @Test
  func aTerminalOnStandardInputIsWrongUsage() throws {
    let terminal = try PseudoTerminal()
    let side = try terminal.open()
    #expect(throws: CommandError.self) {
      try StandardInput.rejectedToken(interrupt: nil, from: side.number)
    }
    #expect(throws: CommandError.self) {
      try StandardInput.password(interrupt: nil, from: side.number)
    }
  }
}
