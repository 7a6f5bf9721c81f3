internal import PlainText

/// Rows of text in columns, for people.
///
/// A table that is wider than the terminal loses no text: the columns in `expendable` go first,
/// then cells break over several lines.
struct Table {
  /// The least width of a broken column.
  private static let narrowest = 8

  /// The headings of the columns; empty texts for a table without headings.
  var headings: [String]
  /// Columns whose cells are never broken.
  var whole: Set<Int> = []
  /// Columns that are left out of a table that is too wide, the least important one first.
  var expendable: [Int] = []
  private var rows: [[String]] = []

  init(headings: [String]) {
    self.headings = headings
  }

  /// Adds a row, and escapes each cell.
  mutating func add(_ cells: String...) {
    rows.append(cells.map { PlainText.line($0) })
  }

  /// The lines, with two spaces between columns.
  ///
  /// - Parameter columns: the terminal's width; `nil` if the output is not a terminal.
  /// - Returns: the table.
  func text(columns: Int?) -> String {
    let all = headings.allSatisfy(\.isEmpty) ? rows : [headings] + rows
    var shown = Array(0..<(all.map(\.count).max() ?? 0))
    var widths = shown.map { column in
      all.map { column < $0.count ? PlainText.width($0[column]) : 0 }.max() ?? 0
    }
    if let columns {
      for column in expendable where total(widths, of: shown) > columns {
        shown.removeAll { $0 == column }
      }
      while total(widths, of: shown) > columns,
        let widest = shown.filter({ !whole.contains($0) }).max(by: { widths[$0] < widths[$1] }),
        widths[widest] > Self.narrowest
      { widths[widest] -= 1 }
    }
    return all.flatMap { lines(of: $0, shown, widths) }.joined(separator: "\n")
  }

  private func total(_ widths: [Int], of shown: [Int]) -> Int {
    shown.reduce(0) { $0 + widths[$1] } + 2 * max(0, shown.count - 1)
  }

  /// The lines of one row, as many as its longest cell needs.
  private func lines(of row: [String], _ shown: [Int], _ widths: [Int]) -> [String] {
    let cells = shown.filter { $0 < row.count }
    let pieces = cells.map { PlainText.wrapped(row[$0], columns: widths[$0], breaksWords: true) }
    return (0..<max(1, pieces.map(\.count).max() ?? 1)).map { line in
      let parts = zip(cells, pieces).map { column, pieces in
        let piece = line < pieces.count ? pieces[line] : ""
        let padding = max(0, widths[column] - PlainText.width(piece))
        return piece + String(repeating: " ", count: padding)
      }
      return trimmed(parts.joined(separator: "  "))
    }
  }

  private func trimmed(_ line: String) -> String {
    guard let last = line.lastIndex(where: { $0 != " " }) else { return "" }
    return String(line[...last])
  }
}
