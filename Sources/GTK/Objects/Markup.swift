internal import CAdwaita

/// The markup that shows a text. (g_markup_escape_text(3))
func escaped(_ text: String) -> String {
  guard let escaped = unsafe g_markup_escape_text(text, -1) else { return "" }
  defer { unsafe g_free(escaped) }
  return unsafe String(cString: escaped)
}
