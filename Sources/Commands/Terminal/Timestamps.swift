internal import Glibc

/// Times as RFC 3339 in UTC for programs, and in local time for people.
///
/// The calendar arithmetic is Howard Hinnant's `days_from_civil`, valid for all years used here.
enum Timestamps {
  /// `2025-11-21T09:30:00Z` (RFC 3339, section 5.6).
  ///
  /// Years beyond 9999 stand at the end of 9999.
  static func rfc3339(_ seconds: Int64) -> String {
    let bounded = min(max(seconds, -62_135_596_800), 253_402_300_799)
    let days = bounded >= 0 ? bounded / 86_400 : (bounded - 86_399) / 86_400
    let clock = bounded - days * 86_400
    let date = civil(days)
    let day = "\(padded(date.year, 4))-\(padded(date.month))-\(padded(date.day))"
    return
      "\(day)T\(padded(clock / 3600)):\(padded(clock / 60 % 60)):\(padded(clock % 60))Z"
  }

  /// Seconds since 1970 of an RFC 3339 time with its offset; a fraction of a second is dropped.
  static func parse(_ text: String) -> Int64? {
    var scanner = Scanner(text)
    guard
      let year = scanner.digits(4), scanner.take("-"),
      let month = scanner.digits(2), scanner.take("-"),
      let day = scanner.digits(2), scanner.take("T", "t", " "),
      let hour = scanner.digits(2), scanner.take(":"),
      let minute = scanner.digits(2), scanner.take(":"),
      let second = scanner.digits(2)
    else { return nil }
    guard
      year >= 1, (1...12).contains(month), day >= 1, day <= daysIn(month, year),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    if scanner.take(".") { guard scanner.anyDigits() else { return nil } }
    guard let offset = scanner.offset(), scanner.isAtEnd else { return nil }
    return days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
  }

  /// Seconds since 1970 of a time in the zone of the person: `2025-11-21`, `2025-11-21 10:30` or
  /// `2025-11-21 10:30:00`.
  ///
  /// An hour that the clocks leave out or show twice is what mktime(3) makes of it.
  static func parseLocal(_ text: String) -> Int64? {
    var scanner = Scanner(text)
    guard
      let year = scanner.digits(4), scanner.take("-"),
      let month = scanner.digits(2), scanner.take("-"), let day = scanner.digits(2),
      year >= 1, (1...12).contains(month), day >= 1, day <= daysIn(month, year)
    else { return nil }
    var parts = unsafe tm()
    unsafe parts.tm_year = Int32(year) - 1900
    unsafe parts.tm_mon = Int32(month) - 1
    unsafe parts.tm_mday = Int32(day)
    // "a negative value means that the program should [...] attempt to determine whether DST is in
    // effect" (mktime(3)).
    unsafe parts.tm_isdst = -1
    if !scanner.isAtEnd {
      guard
        scanner.take("T", "t", " "), let hour = scanner.digits(2), hour < 24, scanner.take(":"),
        let minute = scanner.digits(2), minute < 60
      else { return nil }
      unsafe parts.tm_hour = Int32(hour)
      unsafe parts.tm_min = Int32(minute)
      if scanner.take(":") {
        guard let second = scanner.digits(2), second <= 60 else { return nil }
        unsafe parts.tm_sec = Int32(second)
      }
      guard scanner.isAtEnd else { return nil }
    }
    tzset()
    return Int64(unsafe mktime(&parts))
  }

  /// `2025-11-21 10:30:00` in the zone of the person (localtime_r(3)).
  static func local(_ seconds: Int64) -> String {
    var moment = time_t(seconds)
    var parts = unsafe tm()
    // localtime_r(3): POSIX does not require it to read TZ; tzset does.
    tzset()
    guard unsafe localtime_r(&moment, &parts) != nil else { return rfc3339(seconds) }
    let date = unsafe [
      padded(Int64(parts.tm_year) + 1900, 4), padded(Int64(parts.tm_mon) + 1),
      padded(Int64(parts.tm_mday)),
    ]
    let clock = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded(Int64($0)) }
    return date.joined(separator: "-") + " " + clock.joined(separator: ":")
  }

  /// The hour and minute alone if the time is within a day of `now`, else the date too.
  static func localBrief(_ seconds: Int64, now: Int64) -> String {
    let whole = local(seconds)
    let (distance, overflow) = seconds.subtractingReportingOverflow(now)
    guard !overflow, abs(distance) < 86_400 / 2, let space = whole.firstIndex(of: " ") else {
      return whole
    }
    return String(whole[whole.index(after: space)...])
  }

  private static func padded(_ number: Int64, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  private static func daysIn(_ month: Int64, _ year: Int64) -> Int64 {
    let next = month == 12 ? days(year + 1, 1, 1) : days(year, month + 1, 1)
    return next - days(year, month, 1)
  }

  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  /// Takes an RFC 3339 time apart from the left.
  private struct Scanner {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func digits(_ count: Int) -> Int64? {
      var number: Int64 = 0
      guard rest.count >= count else { return nil }
      for _ in 0..<count {
        guard let byte = rest.popFirst(), (0x30...0x39).contains(byte) else { return nil }
        number = number * 10 + Int64(byte - 0x30)
      }
      return number
    }

    mutating func anyDigits() -> Bool {
      var found = false
      while let byte = rest.first, (0x30...0x39).contains(byte) {
        rest.removeFirst()
        found = true
      }
      return found
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
      guard
        sign != 0, let hours = digits(2), take(":"), let minutes = digits(2), hours < 24,
        minutes < 60
      else { return nil }
      return sign * (hours * 3600 + minutes * 60)
    }
  }
}
