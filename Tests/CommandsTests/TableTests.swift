import PlainText
import Testing

@testable import Commands

/// Tables at a terminal.
struct TableTests {
  @Test
  func tableCellsCannotAddRowsOrColours() {
    var table = Table(headings: ["account", "state"])
    table.add("a\nb", "\u{1B}[31mready")
    #expect(table.text(columns: nil).split(separator: "\n").count == 2)
    #expect(!table.text(columns: nil).contains("\u{1B}"))
  }

  @Test
  func aTableGivesWayToTheTerminalsWidth() {
    var table = Table(headings: ["account", "issuer"])
    table.add("me", String(repeating: "x", count: 200))
    for line in table.text(columns: 80).split(separator: "\n") {
      #expect(PlainText.width(String(line)) <= 80)
    }
    #expect(table.text(columns: nil).contains(String(repeating: "x", count: 200)))
  }
}
