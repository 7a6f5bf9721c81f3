/// Finds the word that the person probably meant.
enum Nearest {
  /// Groups of words with the same meaning.
  private static let synonyms = [
    ["delete", "remove", "rm", "del", "erase", "forget"], ["add", "enroll", "new", "create"],
    ["list", "ls"], ["rename", "mv"], ["show", "cat", "get"], ["enable", "on"],
    ["disable", "off"], ["login", "signin", "sign-in"], ["logout", "signout", "sign-out"],
    ["register", "signup", "sign-up"],
  ]

  /// The word of a verb that was probably meant: a synonym, or a word with a similar spelling.
  static func verb(_ word: String, in candidates: [String]) -> String? {
    let others = synonyms.first { $0.contains(word) } ?? []
    return candidates.first { others.contains($0) } ?? match(word, in: candidates)
  }

  /// The option that was probably meant.
  ///
  /// An option of a single letter is never suggested, and gets no suggestion.
  static func option(_ name: String, in candidates: [String]) -> String? {
    guard name.hasPrefix("--") else { return nil }
    let words = candidates.filter { $0.hasPrefix("--") }.map { String($0.dropFirst(2)) }
    return match(String(name.dropFirst(2)), in: words).map { "--\($0)" }
  }

  /// The candidate with the fewest edits, if they are no more than a third of its letters.
  static func match(_ word: String, in candidates: [String]) -> String? {
    guard word.utf8.count <= 64 else { return nil }
    let best = candidates.map { ($0, distance(word, $0)) }.min { $0.1 < $1.1 }
    guard let best, best.1 <= max(word.count, best.0.count) / 3 else { return nil }
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
