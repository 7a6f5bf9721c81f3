import SecretMemory
import System
import TestSupport
import Testing

@testable import DesktopPrompt

/// The lines of a pinentry, from a program that sends anything.
final class AssuanInputTests {
  private let pinentry: Descriptor
  private let input: AssuanInput

  init() throws {
    let (near, far) = try UnixSocket.pair()
    pinentry = Descriptor(owning: far)
    input = try AssuanInput(Descriptor(owning: near))
  }

  /// The words of a line.
  private func word(_ line: AssuanInput.Line?) -> String? {
    switch line {
    case .ok: "ok"
    case .data(let data): "data \(data.text)"
    case .refused(let number): "refused \(number)"
    case .ended: "ended"
    case nil: nil
    }
  }

  @Test
  func linesComeOneByOneAndCommentsAreSkipped() throws {
    try pinentry.write("OK Pleased to meet you\n# a comment\nS PINENTRY_LAUNCHED 1\nERR 83886179 c")
    #expect(input.receive())
    #expect(word(input.takeLine()) == "ok")
    #expect(word(input.takeLine()) == nil)
    try pinentry.write("ancelled\n")
    #expect(input.receive())
    #expect(word(input.takeLine()) == "refused 83886179")
  }

  @Test(arguments: [
    ("D a%25b%0Ac%0d", "a%b\nc\r"), ("D ", ""), ("D %", "%"), ("D %4", "%4"), ("D %zz", "%zz"),
    ("D %C3%B6", "\u{F6}"), ("D OK", "OK"),
  ])
  func dataIsDecoded(_ line: String, _ text: String) throws {
    try pinentry.write(line + "\nOK\n")
    #expect(input.receive())
    #expect(word(input.takeLine()) == "data \(text)")
    #expect(word(input.takeLine()) == "ok")
  }

  @Test(arguments: [
    ("ERR 83918950 Inappropriate ioctl", 83_918_950), ("ERR 99", 99), ("ERR", 0), ("ERR ", 0),
    ("ERR -1 x", 0), ("ERR 99999999999", 0), ("ERRO", 0),
  ])
  func theNumberOfAnErrorIsRead(_ line: String, _ number: Int) throws {
    try pinentry.write(line + "\n")
    #expect(input.receive())
    #expect(word(input.takeLine()) == "refused \(number)")
  }

  @Test
  func aLineWithoutEndEndsTheInput() throws {
    try pinentry.write("D " + String(repeating: "a", count: 9000))
    var received = 0
    while input.receive(), received < 10_000 { received += 1 }
    #expect(received < 10_000)
    #expect(word(input.takeLine()) == nil)
  }

  @Test
  func aReplyWithoutEndEndsTheInputUntilTheNextCommand() throws {
    func receivesComments() throws -> Bool {
      try pinentry.write(String(repeating: "# a comment\n", count: 300))
      let isOpen = input.receive()
      #expect(word(input.takeLine()) == nil)
      return isOpen
    }
    var received = 0
    while try receivesComments(), received < 1000 { received += 1 }
    #expect(received < 100)
    try input.send("GETPIN")
    #expect(input.receive())
  }
}
