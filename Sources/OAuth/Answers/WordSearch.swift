// A fast search for a word.
extension [UInt8] {
  /// Whether a word occurs anywhere in these bytes.
  ///
  /// The general `firstRange(of:)` takes a hundred times longer. A provider could exploit that with
  /// names and texts that hold no such word.
  func hasWord(_ word: [UInt8]) -> Bool {
    guard let first = word.first, word.count <= count else { return false }
    for start in 0...(count - word.count) where self[start] == first {
      if self[start..<start + word.count].elementsEqual(word) { return true }
    }
    return false
  }
}
