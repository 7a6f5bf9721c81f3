internal import CAdwaita

/// Times in the words and the time zone of the person.
package enum LocalTime {
  /// Seconds since 1970 as a date and a time, in the person's language. (g_date_time_format(3))
  package static func text(_ seconds: Int) -> String {
    // Translators: a date and a time, in the letters of g_date_time_format(3).
    text(seconds, in: tr("%e %B %Y, %H:%M"))
  }

  /// The same in short: only the time within the 24 hours after `now`, with seconds, otherwise the
  /// date.
  package static func short(_ seconds: Int, now: Int) -> String {
    // Translators: a time, in the letters of g_date_time_format(3).
    let time = tr("%H:%M")
    // Translators: a date, in the letters of g_date_time_format(3).
    let date = tr("%e %B %Y")
    return text(seconds, in: (now..<now + 24 * 3600).contains(seconds) ? time : date)
  }

  private static func text(_ seconds: Int, in format: String) -> String {
    guard let time = unsafe g_date_time_new_from_unix_local(seconds) else { return "" }
    defer { unsafe g_date_time_unref(time) }
    guard let text = unsafe g_date_time_format(time, format) else { return "" }
    defer { unsafe g_free(text) }
    // GLib fills %e up with a figure space.
    return String(unsafe String(cString: text).drop { $0 == " " || $0 == "\u{2007}" })
  }
}
