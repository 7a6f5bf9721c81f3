internal import GTK
internal import System

/// What the person has set for the app itself.
struct AppSettings: Equatable, Sendable {
  enum Key: String, CaseIterable {
    /// Whether the window is blurred while the person works in another one.
    case hidesInactive = "hide-when-inactive"
    /// Whether the accounts are hidden when the screen is locked.
    case hidesLocked = "hide-when-locked"
  }

  /// The values before the person sets any.
  static let usual = AppSettings([.hidesInactive: false, .hidesLocked: true])
  /// The values while the person's own cannot be read: each may have been true.
  static let strictest = AppSettings([.hidesInactive: true, .hidesLocked: true])

  private var values: [Key: Bool]

  private init(_ values: [Key: Bool]) {
    self.values = values
  }

  subscript(key: Key) -> Bool {
    get { values[key] ?? false }
    set { values[key] = newValue }
  }
}

/// The lines of the app's settings file, of which a change keeps all others.
struct AppSettingsText {
  private static let section = "[Desktop]"

  private(set) var settings = AppSettings.usual
  private var lines: [String]
  /// The lines that set something, by their key.
  private var positions: [AppSettings.Key: Int] = [:]
  /// The last line of the section.
  private var end: Int?

  /// The bytes of the file.
  var bytes: [UInt8] { Array((lines.joined(separator: "\n") + "\n").utf8) }

  /// Reads a file; it may be empty.
  ///
  /// - Throws: what is wrong, with the line.
  init(_ bytes: [UInt8]) throws(AppSettingsError) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw AppSettingsError(tr("it is not UTF-8"))
    }
    // Scalars, because CR LF is one character.
    lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0) }
    if lines.last == "" { lines.removeLast() }
    var isInside = false
    for (position, line) in lines.enumerated() {
      let line = Self.trimmed(line)
      guard let first = line.first, first != "#", first != ";" else { continue }
      if first == "[" {
        isInside = line == Self.section
      } else if isInside {
        try read(line, at: position)
      }
      if isInside { end = position }
    }
  }

  private mutating func read(_ line: String, at position: Int) throws(AppSettingsError) {
    guard let equals = line.firstIndex(of: "=") else {
      throw AppSettingsError(tr("line %s is not understood", "\(position + 1)"))
    }
    // A key that a later version knows is kept.
    guard let key = AppSettings.Key(rawValue: Self.trimmed(String(line[..<equals]))) else { return }
    guard positions.updateValue(position, forKey: key) == nil else {
      throw AppSettingsError(tr("line %s sets %s again", "\(position + 1)", key.rawValue))
    }
    switch Self.trimmed(String(line[line.index(after: equals)...])) {
    case "yes": settings[key] = true
    case "no": settings[key] = false
    default:
      throw AppSettingsError(
        tr("line %s: %s must be yes or no", "\(position + 1)", key.rawValue)
      )
    }
  }

  /// Changes one setting.
  mutating func set(_ key: AppSettings.Key, _ value: Bool) {
    settings[key] = value
    let line = "\(key.rawValue) = \(value ? "yes" : "no")"
    if let position = positions[key] {
      lines[position] = line
    } else if let end {
      lines.insert(line, at: end + 1)
      positions = positions.mapValues { $0 > end ? $0 + 1 : $0 }
      positions[key] = end + 1
      self.end = end + 1
    } else {
      lines += [Self.section, line]
      positions[key] = lines.count - 1
      end = lines.count - 1
    }
  }

  private static func trimmed(_ text: String) -> String {
    func isSpace(_ scalar: Unicode.Scalar) -> Bool { [" ", "\t", "\r"].contains(scalar) }
    let scalars = text.unicodeScalars.drop(while: isSpace)
    let last = scalars.lastIndex { !isSpace($0) }
    return last.map { String(scalars[...$0]) } ?? ""
  }
}

/// What is wrong with the settings file, as a clause.
struct AppSettingsError: Error {
  let message: String

  init(_ message: String) {
    self.message = message
  }

  init(_ error: SystemError) {
    message = "\(error)"
  }
}
