internal import PlainText
internal import VaultInterface

/// The texts for enrolled fingers, with their source.
enum FingerText {
  /// One text for each finger: those enrolled here, then the desktop's.
  static func names(own: [String], desktop: [String], _ source: FingerSource?) -> [String] {
    let home = source == .namesOnly ? "desktop, names only" : "desktop"
    return own.map { PlainText.line($0, limit: 64) }
      + desktop.map { "\(PlainText.line($0, limit: 64)) (\(home))" }
  }

  /// All of them on one line.
  static func line(own: [String], desktop: [String], _ source: FingerSource?) -> String {
    let names = names(own: own, desktop: desktop, source)
    return names.isEmpty ? "none" : names.joined(separator: ", ")
  }
}
