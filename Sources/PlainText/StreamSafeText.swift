// A limit on combining marks, which keeps operations on text linear.
extension String {
  /// Whether at most 30 combining marks follow one another: the Stream-Safe Text Format (Unicode
  /// Standard Annex #15, section 13).
  ///
  /// Normalization sorts such a run in quadratic time, and `String` normalizes for comparison,
  /// hashing and search. In text that passed this check, each of these takes linear time. No
  /// language needs more than a few marks.
  package var isStreamSafe: Bool {
    // The first combining mark is U+0300, whose first byte is 0xCC.
    guard !utf8.allSatisfy({ $0 < 0xCC }) else { return true }
    var marks = 0
    for scalar in unicodeScalars {
      let isMark =
        scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
      marks = isMark ? marks + 1 : 0
      if marks > 30 { return false }
    }
    return true
  }
}
