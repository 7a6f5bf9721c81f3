/// Durations as people type and read them: `90s`, `15m`, `1h30m`, `2d`.
enum Durations {
  /// Only the largest unit, rounded down: `3d`, `2h`, `54m`, `40s`.
  static func brief(_ seconds: Int64) -> String {
    switch seconds {
    case 172_800...: "\(seconds / 86_400)d"
    case 7200...: "\(seconds / 3600)h"
    case 120...: "\(seconds / 60)m"
    default: "\(seconds)s"
    }
  }

  private static let units: [(letter: Character, seconds: Int64)] = [
    ("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1),
  ]

  /// The seconds of a text like `1h30m`.
  ///
  /// Each number has a unit. The units are in falling order, each at most once. A number without a
  /// unit is `nil`, because some verbs would read seconds and others minutes. A sign or a fraction is
  /// `nil` too.
  static func parse(_ text: String) -> Int64? {
    guard !text.isEmpty, text.utf8.count <= 32 else { return nil }
    var total: Int64 = 0
    var digits = ""
    var left = units[...]
    for character in text {
      if ("0"..."9").contains(character) {
        digits.append(character)
        continue
      }
      guard
        let unit = left.firstIndex(where: { $0.letter == character }),
        let number = Int64(digits)
      else { return nil }
      let (part, tooBig) = number.multipliedReportingOverflow(by: units[unit].seconds)
      let (sum, tooLong) = total.addingReportingOverflow(part)
      guard !tooBig && !tooLong else { return nil }
      total = sum
      digits = ""
      left = left[(unit + 1)...]
    }
    return digits.isEmpty ? total : nil
  }

  /// The two largest units that are not zero, such as `1h 30m`; `0s` for nothing.
  static func text(_ seconds: Int64) -> String {
    var rest = max(0, seconds)
    var parts: [String] = []
    for unit in units {
      let (count, remainder) = rest.quotientAndRemainder(dividingBy: unit.seconds)
      if count > 0 && parts.count < 2 { parts.append("\(count)\(unit.letter)") }
      rest = remainder
    }
    return parts.isEmpty ? "0s" : parts.joined(separator: " ")
  }
}
