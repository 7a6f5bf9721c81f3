extension [String] {
  /// The texts as a list for people, such as `A, B or C` with the word `or`.
  package func listed(_ word: String) -> String {
    guard let last, count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " \(word) \(last)"
  }
}
