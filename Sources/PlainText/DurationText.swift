/// The text of a duration, as people type it: `90s`, `15m`, `1h30m`, `2d`.
package enum DurationText {
  /// The units, in falling order.
  package static let units: [(letter: Character, seconds: Int64)] = [
    ("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1),
  ]

  /// The seconds of a text like `1h30m`.
  ///
  /// Each number has a unit. The units are in falling order, each at most once. A number without a
  /// unit is `nil`, because some verbs would read seconds and others minutes. A sign or a fraction
  /// is `nil` too.
  package static func seconds(_ text: String) -> Int64? {
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
}
