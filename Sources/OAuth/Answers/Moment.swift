internal import JSON

/// A time as backends write it.
enum Moment {
  /// Seconds since 1970 of an RFC 3339 time, or of a number of seconds or milliseconds; `nil` for
  /// anything else.
  static func seconds(_ value: JSONValue) -> Int64? {
    switch value {
    case .integer(let number): seconds(number)
    case .number(let number):
      abs(number) < 1e15 ? seconds(Int64(number.rounded(.down))) : nil
    case .string(let text): text.utf8.count <= 64 ? seconds(Array(text.utf8)) : nil
    default: nil
    }
  }

  /// Milliseconds are told from seconds by their size: 100,000,000,000 s are in the year 5138.
  private static func seconds(_ number: Int64) -> Int64? {
    switch number {
    case 0..<100_000_000_000: number
    case 100_000_000_000..<100_000_000_000_000: number / 1000
    default: nil
    }
  }

  /// `1970-01-01T00:00:00.5+01:00`, also with a space for the T, without an offset (taken for UTC), or
  /// the day alone.
  private static func seconds(_ text: [UInt8]) -> Int64? {
    func number(_ range: Range<Int>, _ allowed: ClosedRange<Int64>) -> Int64? {
      guard range.upperBound <= text.count else { return nil }
      var number: Int64 = 0
      for byte in text[range] {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        number = number * 10 + Int64(byte - UInt8(ascii: "0"))
      }
      return allowed.contains(number) ? number : nil
    }
    func has(_ byte: Unicode.Scalar, at place: Int) -> Bool {
      place < text.count && text[place] == UInt8(ascii: byte)
    }
    guard let year = number(0..<4, 1...9999), has("-", at: 4), let month = number(5..<7, 1...12),
      has("-", at: 7), let day = number(8..<10, 1...31)
    else { return nil }
    let midnight = days(year, month, day) * 86_400
    guard text.count > 10 else { return midnight }
    guard has("T", at: 10) || has("t", at: 10) || has(" ", at: 10),
      let hour = number(11..<13, 0...23), has(":", at: 13), let minute = number(14..<16, 0...59),
      has(":", at: 16), let second = number(17..<19, 0...60)
    else { return nil }
    let time = midnight + hour * 3600 + minute * 60 + second
    var place = 19
    if has(".", at: place) {
      place += 1
      while place < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[place]) {
        place += 1
      }
    }
    if place == text.count { return time }
    if has("Z", at: place) || has("z", at: place) { return place + 1 == text.count ? time : nil }
    guard has("+", at: place) || has("-", at: place), place + 6 == text.count,
      let hours = number(place + 1..<place + 3, 0...23), has(":", at: place + 3),
      let minutes = number(place + 4..<place + 6, 0...59)
    else { return nil }
    let offset = hours * 3600 + minutes * 60
    return has("+", at: place) ? time - offset : time + offset
  }

  /// Days since 1970 of a date of the Gregorian calendar, counted from 1 March, so that the leap day
  /// stands last.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = year / 400
    let ofEra = year - era * 400
    let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
  }
}
