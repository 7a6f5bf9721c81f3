/// A date, or a date with a time, in the Gregorian calendar, as in RFC 3339 (section 5.6).
package struct DateTime: Sendable, Hashable {
  /// The smallest unit that a text names.
  package enum Precision: Sendable {
    case day, minute, second, fraction
  }

  package let year: Int64
  /// The month, from 1.
  package let month: Int64
  /// The day of the month, from 1.
  package let day: Int64
  /// The hour; 0 if the text is a day only.
  package private(set) var hour: Int64 = 0
  package private(set) var minute: Int64 = 0
  /// The second, at most 60; a fraction is dropped.
  package private(set) var second: Int64 = 0
  /// The smallest unit that the text names.
  package private(set) var precision = Precision.day
  /// The seconds that the clock is ahead of UTC; `nil` if the text names no offset.
  package private(set) var offset: Int64?

  /// Reads `2025-11-21`, `2025-11-21T09:30`, `2025-11-21T09:30:00.5+01:00` and the forms between.
  ///
  /// A space may replace the T. Only a time may have an offset. `nil` for any other text, and for a
  /// day that does not exist in the calendar.
  ///
  /// - Parameter text: the text.
  package init?(_ text: String) {
    var scanner = Scanner(rest: Substring(text).utf8)
    guard let year = scanner.number(4, 1...9999), scanner.take("-"),
      let month = scanner.number(2, 1...12), scanner.take("-"),
      let day = scanner.number(2, 1...Self.daysIn(month, year))
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
    if scanner.isAtEnd { return }
    guard scanner.take("T", "t", " "), let hour = scanner.number(2, 0...23), scanner.take(":"),
      let minute = scanner.number(2, 0...59)
    else { return nil }
    (self.hour, self.minute, precision) = (hour, minute, .minute)
    if scanner.take(":") {
      guard let second = scanner.number(2, 0...60) else { return nil }
      (self.second, precision) = (second, .second)
      if scanner.take(".") {
        guard scanner.takeDigits() else { return nil }
        precision = .fraction
      }
    }
    if scanner.isAtEnd { return }
    offset = scanner.offset()
    guard offset != nil, scanner.isAtEnd else { return nil }
  }

  /// Makes a time in UTC.
  ///
  /// - Parameter seconds: the seconds since 1970, clamped to the years 1 to 9999.
  package init(secondsSince1970 seconds: Int64) {
    let bounded = min(max(seconds, -62_135_596_800), 253_402_300_799)
    let days = bounded >= 0 ? bounded / 86_400 : (bounded - 86_399) / 86_400
    let clock = bounded - days * 86_400
    // Count from 1 March of the year 0, so that a leap day is the last day of its year.
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60)
    (precision, offset) = (.second, 0)
  }

  /// Seconds since 1970; a time without an offset is read as UTC.
  package var secondsSince1970: Int64 {
    let days = Self.days(year, month, day)
    return days * 86_400 + hour * 3600 + minute * 60 + second - (offset ?? 0)
  }

  /// Formats seconds since 1970 as `2025-11-21T09:30:00Z`.
  package static func text(_ seconds: Int64) -> String {
    func padded(_ number: Int64, _ width: Int = 2) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let time = DateTime(secondsSince1970: seconds)
    let date = [padded(time.year, 4), padded(time.month), padded(time.day)]
    let clock = [time.hour, time.minute, time.second].map { padded($0) }
    return date.joined(separator: "-") + "T" + clock.joined(separator: ":") + "Z"
  }

  private static func daysIn(_ month: Int64, _ year: Int64) -> Int64 {
    let next = month == 12 ? days(year + 1, 1, 1) : days(year, month + 1, 1)
    return next - days(year, month, 1)
  }

  /// Days since 1970. (Howard Hinnant, `days_from_civil`.)
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}

/// Parses a text from left to right.
private struct Scanner {
  var rest: Substring.UTF8View

  var isAtEnd: Bool { rest.isEmpty }

  private mutating func digit() -> Int64? {
    guard let byte = rest.first, (0x30...0x39).contains(byte) else { return nil }
    rest.removeFirst()
    return Int64(byte - 0x30)
  }

  mutating func number(_ count: Int, _ allowed: ClosedRange<Int64>) -> Int64? {
    var number: Int64 = 0
    for _ in 0..<count {
      guard let digit = digit() else { return nil }
      number = number * 10 + digit
    }
    return allowed.contains(number) ? number : nil
  }

  mutating func takeDigits() -> Bool {
    guard digit() != nil else { return false }
    while digit() != nil {}
    return true
  }

  mutating func take(_ characters: Unicode.Scalar...) -> Bool {
    guard let byte = rest.first, characters.contains(where: { $0.value == UInt32(byte) }) else {
      return false
    }
    rest.removeFirst()
    return true
  }

  mutating func offset() -> Int64? {
    if take("Z", "z") { return 0 }
    let sign: Int64 = take("-") ? -1 : (take("+") ? 1 : 0)
    guard sign != 0, let hours = number(2, 0...23), take(":"), let minutes = number(2, 0...59)
    else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }
}
