/// Drawings, which a screen reader may skip.
enum Icons {
  /// The logo of the app: the lines of a thumb, in the shape of a latch.
  static let mark: HTML = """
    <svg viewBox="0 0 32 32" aria-hidden="true" focusable="false">\
    <rect width="32" height="32" rx="8" fill="#0d5f56"/>\
    <g fill="none" stroke="#fff" stroke-width="2.2" stroke-linecap="round">\
    <path d="M8.5 23v-6.5a7.5 7.5 0 0 1 15 0V23"/><path d="M12.5 24v-7.5a3.5 3.5 0 0 1 7 0V24"/>\
    <path d="M16 17v8"/></g></svg>
    """
  /// The logo for the browser's tab, as an attribute value.
  static let tab =
    "data:image/svg+xml,"
    + "%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E"
    + "%3Crect width='32' height='32' rx='8' fill='%230d5f56'/%3E"
    + "%3Cg fill='none' stroke='%23fff' stroke-width='2.2' stroke-linecap='round'%3E"
    + "%3Cpath d='M8.5 23v-6.5a7.5 7.5 0 0 1 15 0V23'/%3E"
    + "%3Cpath d='M12.5 24v-7.5a3.5 3.5 0 0 1 7 0V24'/%3E"
    + "%3Cpath d='M16 17v8'/%3E%3C/g%3E%3C/svg%3E"

  static let none: HTML = ""
  static let person = drawing(
    "<circle cx=\"12\" cy=\"8\" r=\"4\"/><path d=\"M4 21c0-4 4-6 8-6s8 2 8 6\"/>"
  )
  static let lock = drawing(
    "<rect x=\"5\" y=\"11\" width=\"14\" height=\"9\" rx=\"2\"/><path d=\"M8 11V8a4 4 0 0 1 8 0v3\"/>"
  )
  static let shield = drawing(
    "<path d=\"M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6z\"/><path d=\"M9 12l2 2 4-4\"/>"
  )
  static let finger = drawing(
    """
    <path d="M5 13a7 7 0 0 1 14 0v2"/><path d="M8 19v-6a4 4 0 0 1 8 0v3"/>\
    <path d="M12 13v6"/><path d="M16 19.5v.5"/>
    """,
    kind: " calm"
  )
  static let key = drawing("<circle cx=\"8\" cy=\"15\" r=\"4\"/><path d=\"M11 12l9-9M16 7l3 3\"/>")
  static let warning = drawing(
    "<path d=\"M12 4l9 16H3z\"/><path d=\"M12 10v4M12 17v.5\"/>",
    kind: " bad"
  )
  static let cloud = drawing(
    "<path d=\"M7 18a4 4 0 0 1 0-8 5 5 0 0 1 9.6-1A4.5 4.5 0 0 1 17 18z\"/><path d=\"M4 4l16 16\"/>",
    kind: " bad"
  )
  static let moment: HTML =
    "<div class=\"icon\" aria-hidden=\"true\"><span class=\"turn\"></span></div>"
  /// The icon before a field error.
  static let wrong: HTML = """
    <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><circle cx="12" cy="12" r="9"/>\
    <path d="M12 7.5v5.5M12 16.5v.1"/></svg>
    """

  private static func drawing(_ paths: HTML, kind: String = "") -> HTML {
    """
    <div class="icon\(kind)" aria-hidden="true">\
    <svg viewBox="0 0 24 24" width="26" height="26" focusable="false">\(paths)</svg></div>
    """
  }
}
