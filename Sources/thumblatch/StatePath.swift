internal import System

/// Where the private vault's state lies.
enum StatePath {
  /// THUMBLATCH_STATE_DIR, else `thumblatch` in XDG_STATE_HOME, else in `~/.local/state`.
  ///
  /// Nil where that is not an absolute path: the command-line program says why. An empty variable
  /// counts as unset, and a relative XDG_STATE_HOME too (XDG Base Directory Specification).
  static var current: String? {
    var path: String
    if let chosen = value("THUMBLATCH_STATE_DIR") {
      path = chosen
    } else if let state = value("XDG_STATE_HOME"), state.utf8.first == slash {
      path = state + "/thumblatch"
    } else if let home = value("HOME") {
      path = home + "/.local/state/thumblatch"
    } else {
      return nil
    }
    guard path.utf8.first == slash else { return nil }
    // open(2): with a slash at the end a link would be followed in spite of O_NOFOLLOW.
    while path.utf8.last == slash { path.removeLast() }
    return path.isEmpty ? nil : path
  }

  private static let slash = UInt8(ascii: "/")

  private static func value(_ name: String) -> String? {
    guard let text = ThisProcess.environment(name), !text.isEmpty else { return nil }
    return text
  }
}
