internal import PlainText
internal import TerminalIO
internal import VaultInterface

/// The names of fingers.
enum FingerWords {
  /// The names that the vault knows, in the spelling of fprintd(8), the usual one first.
  static let names =
    ["right", "left"].flatMap { side in
      ["index", "thumb", "middle", "ring", "little"].map { "\(side)-\($0)" }
    }

  /// A finger as a title, such as `Right index finger`.
  static func title(_ name: String) -> String {
    let words = PresenceText.finger(name)
    return words.prefix(1).uppercased() + words.dropFirst()
  }
}

extension VaultReader {
  /// The reader in words that are safe to show.
  var words: String {
    let why = reason.map { PlainText.line($0, limit: 300) }
    guard available || known == .notLooked else {
      return why.map { "Not available: \($0)" } ?? "Not available"
    }
    guard let name else { return why.map { Trouble($0).text } ?? "Available" }
    return PlainText.line(name, limit: 120) + (inUse == true ? ", in use by a program" : "")
  }

  /// Whether the system shows that there is no reader.
  var isMissing: Bool { !available && known == .plugged }
}
