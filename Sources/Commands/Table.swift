internal import PlainText

/// Rows of text in columns, for people.
struct Table {
  /// What one column is called; empty for a table without headings.
  var headings: [String]
  /// Columns that are never cut.
  var whole: Set<Int> = []
  private var rows: [[String]] = []

  init(headings: [String]) {
    self.headings = headings
  }

  /// Adds a row; each cell is made harmless here.
  mutating func add(_ cells: String...) {
    rows.append(cells.map { PlainText.line($0) })
  }

  /// The lines, two spaces between columns; the widest column gives way where a width is named.
  func text(columns: Int?) -> String {
    let all = headings.allSatisfy(\.isEmpty) ? rows : [headings] + rows
    let count = all.map(\.count).max() ?? 0
    var widths = (0..<count).map { column in
      all.map { column < $0.count ? PlainText.width($0[column]) : 0 }.max() ?? 0
    }
    if let columns {
      while widths.reduce(0, +) + 2 * (count - 1) > columns,
        let widest = widths.indices.filter({ !whole.contains($0) }).max(by: {
          widths[$0] < widths[$1]
        }), widths[widest] > 8
      { widths[widest] -= 1 }
    }
    let lines = all.map { row in
      row.enumerated().map { column, cell in
        let fitted = PlainText.fitted(cell, columns: widths[column])
        let padding = column == row.count - 1 ? 0 : widths[column] - PlainText.width(fitted)
        return fitted + String(repeating: " ", count: max(0, padding))
      }.joined(separator: "  ")
    }
    return lines.map(trimmed).joined(separator: "\n")
  }

  private func trimmed(_ line: String) -> String {
    guard let last = line.lastIndex(where: { $0 != " " }) else { return "" }
    return String(line[...last])
  }
}
