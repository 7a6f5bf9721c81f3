internal import PlainText

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

  /// The seconds of a text like `1h30m`; `nil` if it is not a duration.
  static func parse(_ text: String) -> Int64? { DurationText.seconds(text) }

  /// The two largest units that are not zero, such as `1h 30m`; `0s` for nothing.
  static func text(_ seconds: Int64) -> String {
    var rest = max(0, seconds)
    var parts: [String] = []
    for unit in DurationText.units {
      let (count, remainder) = rest.quotientAndRemainder(dividingBy: unit.seconds)
      if count > 0 && parts.count < 2 { parts.append("\(count)\(unit.letter)") }
      rest = remainder
    }
    return parts.isEmpty ? "0s" : parts.joined(separator: " ")
  }
}
