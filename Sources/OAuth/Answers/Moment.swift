internal import JSON
internal import PlainText

/// A time as backends write it.
enum Moment {
  /// Seconds since 1970 of an RFC 3339 time, or of a number of seconds or milliseconds; `nil` for
  /// anything else.
  static func seconds(_ value: JSONValue) -> Int64? {
    switch value {
    case .integer(let number): seconds(number)
    case .number(let number):
      abs(number) < 1e15 ? seconds(Int64(number.rounded(.down))) : nil
    case .string(let text): text.utf8.count <= 64 ? seconds(text) : nil
    default: nil
    }
  }

  /// The size distinguishes milliseconds from seconds: 100,000,000,000 s is in the year 5138.
  private static func seconds(_ number: Int64) -> Int64? {
    switch number {
    case 0..<100_000_000_000: number
    case 100_000_000_000..<100_000_000_000_000: number / 1000
    default: nil
    }
  }

  /// Reads `1970-01-01T00:00:00.5+01:00`, the same without an offset (taken as UTC), or only a
  /// date.
  private static func seconds(_ text: String) -> Int64? {
    guard let time = DateTime(text), time.precision != .minute else { return nil }
    return time.secondsSince1970
  }
}
