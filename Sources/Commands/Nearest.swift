/// Finds what somebody probably meant.
enum Nearest {
  /// The candidate with the fewest edits, if they are few enough for its length.
  static func match(_ word: String, in candidates: [String]) -> String? {
    guard word.utf8.count <= 64 else { return nil }
    let best = candidates.map { ($0, distance(word, $0)) }.min { $0.1 < $1.1 }
    guard let best, best.1 <= max(1, best.0.count / 3) else { return nil }
    return best.0
  }

  /// Letters to insert, delete, replace or swap with their neighbour (optimal string alignment).
  static func distance(_ left: String, _ right: String) -> Int {
    let a = Array(left)
    let b = Array(right)
    var before: [Int] = []
    var above = Array(0...b.count)
    for row in 0..<a.count {
      var current = [row + 1]
      for column in 0..<b.count {
        var best = min(above[column + 1] + 1, current[column] + 1)
        best = min(best, above[column] + (a[row] == b[column] ? 0 : 1))
        if row > 0, column > 0, a[row] == b[column - 1], a[row - 1] == b[column] {
          best = min(best, before[column - 1] + 1)
        }
        current.append(best)
      }
      before = above
      above = current
    }
    return above[b.count]
  }
}
