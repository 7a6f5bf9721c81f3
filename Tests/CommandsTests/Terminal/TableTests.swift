import PlainText
import TestSupport
import Testing

@testable import Commands

/// Tables on a terminal.
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

  @Test
  func aTableThatIsTooWideLosesNoText() {
    var table = Table(headings: ["account", "remedy"])
    let name = String(repeating: "long-name.", count: 6)
    let remedy = "run thumblatch recover and sign in again at each provider that rotates tokens"
    table.add(name, remedy)
    let lines = table.text(columns: 60).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { PlainText.width(String($0)) <= 60 })
    #expect(lines.dropFirst().map { $0.prefix { $0 != " " } }.joined() == name)
    #expect(!table.text(columns: 60).contains("..."))
    for word in remedy.split(separator: " ") {
      #expect(lines.contains { $0.contains(word) }, "the word \(word) is missing")
    }
  }

  @Test
  func expendableColumnsGoBeforeAnyCellBreaks() {
    var table = Table(headings: ["account", "refreshed", "state"])
    table.expendable = [1]
    table.add("work", "three minutes ago", "login-required")
    #expect(table.text(columns: 80).contains("three minutes ago"))
    #expect(table.text(columns: 30) == "account  state\nwork     login-required")
  }
}
