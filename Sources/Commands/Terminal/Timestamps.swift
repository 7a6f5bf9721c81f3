internal import Glibc
internal import PlainText

/// Times as RFC 3339 in UTC for programs, and in local time for people.
enum Timestamps {
  /// `2025-11-21T09:30:00Z` (RFC 3339, section 5.6).
  static func rfc3339(_ seconds: Int64) -> String { DateTime.text(seconds) }

  /// Seconds since 1970 of an RFC 3339 time with its offset; a fraction of a second is dropped.
  static func parse(_ text: String) -> Int64? {
    guard let time = DateTime(text), time.offset != nil, time.precision != .minute else {
      return nil
    }
    return time.secondsSince1970
  }

  /// Seconds since 1970 of a time in the zone of the person: `2025-11-21`, `2025-11-21 10:30` or
  /// `2025-11-21 10:30:00`.
  ///
  /// mktime(3) decides about an hour that the clocks skip or repeat.
  static func parseLocal(_ text: String) -> Int64? {
    guard let time = DateTime(text), time.offset == nil, time.precision != .fraction else {
      return nil
    }
    var parts = unsafe tm()
    unsafe parts.tm_year = Int32(time.year) - 1900
    unsafe parts.tm_mon = Int32(time.month) - 1
    unsafe parts.tm_mday = Int32(time.day)
    unsafe parts.tm_hour = Int32(time.hour)
    unsafe parts.tm_min = Int32(time.minute)
    unsafe parts.tm_sec = Int32(time.second)
    // "a negative value means that the program should [...] attempt to determine whether DST is in
    // effect" (mktime(3)).
    unsafe parts.tm_isdst = -1
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
    let (shifted, isTooFar) = unsafe seconds.addingReportingOverflow(Int64(parts.tm_gmtoff))
    guard !isTooFar else { return rfc3339(seconds) }
    return String(rfc3339(shifted).dropLast()).replacing("T", with: " ")
  }

  /// The time without the date if it is within half a day of `now`, else both.
  static func localBrief(_ seconds: Int64, now: Int64) -> String {
    let whole = local(seconds)
    let (distance, overflow) = seconds.subtractingReportingOverflow(now)
    guard !overflow, abs(distance) < 86_400 / 2, let space = whole.firstIndex(of: " ") else {
      return whole
    }
    return String(whole[whole.index(after: space)...])
  }
}
