/// Drawings above the headings; nothing that a screen reader would have to tell.
enum Icons {
  static let door = drawing("<path d=\"M14 4h5v16h-5M4 12h10M10 8l4 4-4 4\"/>")
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
    "<path d=\"M7 18a4 4 0 0 1 0-8 5 5 0 0 1 9.6-1A4.500 4.500 0 0 1 17 18z\"/><path d=\"M4 4l16 16\"/>",
    kind: " bad"
  )
  static let moment: HTML =
    "<div class=\"icon\" aria-hidden=\"true\"><span class=\"turn\"></span></div>"

  private static func drawing(_ paths: HTML, kind: String = "") -> HTML {
    """
    <div class="icon\(kind)" aria-hidden="true">\
    <svg viewBox="0 0 24 24" width="28" height="28" focusable="false">\(paths)</svg></div>
    """
  }
}
