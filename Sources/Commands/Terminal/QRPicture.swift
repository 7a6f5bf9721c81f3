internal import QRCode

/// A QR code on a terminal.
enum QRPicture {
  /// Black on white in every terminal: scanners expect dark modules.
  static let colours = "38;5;16;48;5;231"

  /// The lines of a picture; `nil` if the terminal is too narrow, or lacks colours or block
  /// characters.
  static func lines(of text: String, columns: Int?, environment: (String) -> String?) -> [String]? {
    guard let columns, isUnicode(environment), let code = try? QRCode(text),
      code.width + 2 * QRCode.quietZone <= columns
    else { return nil }
    return code.lines
  }

  /// Whether the terminal's characters are UTF-8 (locale(7): the first that is set counts).
  static func isUnicode(_ environment: (String) -> String?) -> Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty }
    let name = (locale ?? "").uppercased()
    return name.hasSuffix("UTF-8") || name.hasSuffix("UTF8") || name.contains("UTF-8@")
      || name.contains("UTF8@")
  }
}
