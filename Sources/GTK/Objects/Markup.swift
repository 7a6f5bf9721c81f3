internal import CAdwaita

/// The markup that shows a text, in which no line ends within an option of a command.
/// (g_markup_escape_text(3))
func escaped(_ text: String) -> String {
  let bytes = Array(text.utf8)
  var (result, end) = ("", 0)
  for option in options(in: bytes) {
    result += plainlyEscaped(bytes[end..<option.lowerBound])
    // Not translated: markup.
    result += "<span allow_breaks=\"false\">" + plainlyEscaped(bytes[option]) + "</span>"
    end = option.upperBound
  }
  return result + plainlyEscaped(bytes[end...])
}

private func plainlyEscaped(_ bytes: ArraySlice<UInt8>) -> String {
  let text = String(decoding: bytes, as: UTF8.self)
  guard let escaped = unsafe g_markup_escape_text(text, -1) else { return "" }
  defer { unsafe g_free(escaped) }
  return unsafe String(cString: escaped)
}

/// The options of commands in a text, such as `--mcp` and `-l`.
///
/// Pango may end a line behind a hyphen, and the rest of the option would look like a word.
func options(in bytes: [UInt8]) -> [Range<Int>] {
  var found: [Range<Int>] = []
  var start = 0
  while let hyphen = bytes[start...].firstIndex(of: UInt8(ascii: "-")) {
    let name = bytes[hyphen...].drop { $0 == UInt8(ascii: "-") }.startIndex
    let end = bytes[name...].firstIndex { !isOfOption($0) } ?? bytes.count
    start = max(name, end)
    let isFirst = hyphen == 0 || " \n(\"'=".utf8.contains(bytes[hyphen - 1])
    // A longer word must be broken in a narrow window.
    guard isFirst, name - hyphen <= 2, end > name, end - hyphen <= 30 else { continue }
    found.append(hyphen..<end)
  }
  return found
}

private func isOfOption(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
    true
  default: false
  }
}

extension Label {
  /// Lets no line of a shown text end within an option of a command, and adds no hyphens.
  ///
  /// A hyphen at the end of a line would look like a part of the name or address that is broken
  /// there. (pango_attr_allow_breaks_new(3), pango_attr_insert_hyphens_new(3))
  func keepWhole(_ text: String) {
    let list = unsafe pango_attr_list_new()
    defer { unsafe pango_attr_list_unref(list) }
    unsafe pango_attr_list_insert(list, pango_attr_insert_hyphens_new(0))
    for option in options(in: Array(text.utf8)) {
      let attribute = unsafe pango_attr_allow_breaks_new(0)
      unsafe attribute?.pointee.start_index = guint(option.lowerBound)
      unsafe attribute?.pointee.end_index = guint(option.upperBound)
      unsafe pango_attr_list_insert(list, attribute)
    }
    unsafe gtk_label_set_attributes(opaque, list)
  }
}
