import System
import TestSupport
import Testing

@testable import Commands

/// The output on standard error.
@Suite(.timeLimit(.minutes(10)))
struct OutputTests {
  private static let error = CommandError(
    .unavailable,
    "the provider at https://login.an-unusually-long-name.example.org/tenant does not answer",
    hint: "nothing is lost; try again later"
  )

  private func shown(columns: UInt16, kind: String) throws -> [String] {
    let terminal = try PseudoTerminal(columns: columns)
    let side = try terminal.open()
    let output = Output(json: false, out: side.number, error: side.number) {
      $0 == "TERM" ? kind : ""
    }
    output.fail(Self.error)
    try terminal.waitFor("later")
    return terminal.screen.replacing("\r\n", with: "\n").split(separator: "\n").map(String.init)
  }

  @Test
  func aNarrowTerminalBreaksBetweenWords() throws {
    #expect(
      try shown(columns: 40, kind: "dumb") == [
        "thumblatch: error: the provider at",
        "https://login.an-unusually-long-name.example.org/tenant",
        "does not answer",
        "hint: nothing is lost; try again later",
      ]
    )
  }

  @Test
  func colourChangesNoLine() throws {
    #expect(
      try shown(columns: 40, kind: "xterm") == [
        "\u{1B}[1;31mthumblatch: error:\u{1B}[0m the provider at",
        "https://login.an-unusually-long-name.example.org/tenant",
        "does not answer",
        "\u{1B}[36mhint:\u{1B}[0m nothing is lost; try again later",
      ]
    )
  }
}
