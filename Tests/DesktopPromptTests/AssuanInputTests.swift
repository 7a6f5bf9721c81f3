import SecretMemory
import System
import TestSupport
import Testing

@testable import DesktopPrompt

/// The lines of a pinentry, from a program that sends what it likes.
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
    case .refused: "refused"
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
    #expect(word(input.takeLine()) == "refused")
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

  @Test
  func aLineWithoutEndEndsTheInput() throws {
    try pinentry.write("D " + String(repeating: "a", count: 9000))
    var received = 0
    while input.receive(), received < 10_000 { received += 1 }
    #expect(received < 10_000)
    #expect(word(input.takeLine()) == nil)
  }
}
