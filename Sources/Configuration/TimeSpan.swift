/// A length of time as people write it: `90`, `90s`, `15m`, `12h`, `2d`.
public struct TimeSpan: Sendable, Hashable, Comparable {
  /// Whole seconds, not negative.
  public let seconds: Int

  /// Takes whole seconds; nil for a negative number.
  public init?(seconds: Int) {
    guard seconds >= 0 else { return nil }
    self.seconds = seconds
  }

  /// Reads digits and one of the units s, m, h, d; without a unit they are seconds.
  public init(_ text: String) throws(ConfigurationError) {
    let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    let unit = text.last.flatMap { units[$0] }
    let digits = unit == nil ? text[...] : text.dropLast()
    guard (1...9).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int(digits)
    else {
      throw ConfigurationError(
        .badValue(text: text, rule: "a time such as 90s, 15m, 12h or 2d")
      )
    }
    seconds = number * (unit ?? 1)
  }

  /// Shorter ones come first.
  public static func < (left: TimeSpan, right: TimeSpan) -> Bool { left.seconds < right.seconds }
}
