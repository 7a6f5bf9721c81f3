internal import Glibc

/// The time that a server asks to wait (`Retry-After`; RFC 9110, section 10.2.3).
enum RetryAfter {
  /// The longest wait in seconds.
  ///
  /// A longer one is cut to it.
  static let longest: Int64 = 86_400

  /// Parses a header field's value: a number of seconds, or a date as IMF-fixdate.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - now: the time of day, in seconds since 1970.
  /// - Returns: the wait; `nil` if the value is neither.
  static func duration(_ value: String, now: Int64) -> Duration? {
    let digits = value.utf8
    if !digits.isEmpty, digits.allSatisfy(isDigit) {
      // A number that is too large for an Int64 is longer than a day.
      return .seconds(min(Int64(value) ?? longest, longest))
    }
    return date(value).map { .seconds(min(max($0 - now, 0), longest)) }
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7); servers send
  /// no other form.
  private static func date(_ text: String) -> Int64? {
    guard text.utf8.count == 29, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      return nil
    }
    let parts = text.split(separator: " ").map(String.init)
    guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: parts[2]) else {
      return nil
    }
    let clock = parts[4].split(separator: ":").map(String.init)
    guard clock.count == 3, let day = number(parts[1], 1...31),
      let year = number(parts[3], 1970...9999), let hour = number(clock[0], 0...23),
      let minute = number(clock[1], 0...59), let second = number(clock[2], 0...60)
    else { return nil }
    var time = unsafe tm()
    unsafe (time.tm_year, time.tm_mon, time.tm_mday) = (year - 1900, Int32(month), day)
    unsafe (time.tm_hour, time.tm_min, time.tm_sec) = (hour, minute, second)
    // timegm(3) takes the fields as UTC in any time zone of the app.
    return Int64(unsafe timegm(&time))
  }

  private static func number(_ text: String, _ range: ClosedRange<Int32>) -> Int32? {
    guard text.utf8.allSatisfy(isDigit), let number = Int32(text), range.contains(number) else {
      return nil
    }
    return number
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
