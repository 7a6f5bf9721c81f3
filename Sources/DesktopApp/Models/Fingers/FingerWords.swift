internal import GTK
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

  /// A finger within a sentence, such as `right index finger`.
  static func words(_ name: String) -> String {
    switch name {
    case "right-index": tr("right index finger")
    case "right-thumb": tr("right thumb")
    case "right-middle": tr("right middle finger")
    case "right-ring": tr("right ring finger")
    case "right-little": tr("right little finger")
    case "left-index": tr("left index finger")
    case "left-thumb": tr("left thumb")
    case "left-middle": tr("left middle finger")
    case "left-ring": tr("left ring finger")
    case "left-little": tr("left little finger")
    default: PresenceText.finger(name)
    }
  }

  /// A finger as a title, such as `Right index finger`.
  static func title(_ name: String) -> String {
    let words = words(name)
    return words.prefix(1).uppercased() + words.dropFirst()
  }
}

extension VaultReader {
  /// The reader in words that are safe to show.
  var words: String {
    let why = reason.map { FindingWords.translated(PlainText.line($0, limit: 300)) }
    guard available || known == .notLooked else {
      return why.map { tr("Not available: %s", $0.text) } ?? tr("Not available")
    }
    guard let name else { return why.map { Trouble($0).text } ?? tr("Available") }
    let line = PlainText.line(name, limit: 120)
    return inUse == true ? tr("%s, in use by a program", line) : line
  }

  /// Whether the system shows that there is no reader.
  var isMissing: Bool { !available && known == .plugged }
}
