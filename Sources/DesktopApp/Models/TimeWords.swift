internal import GTK
internal import PlainText

/// A time that another room writes as `2025-11-21T09:30:00Z`.
enum TimeWords {
  /// The time in the words and the time zone of the person; `nil` for another text.
  static func text(_ text: String) -> String? {
    guard text.hasSuffix("Z"), let time = DateTime(text) else { return nil }
    return LocalTime.text(Int(time.secondsSince1970))
  }
}
