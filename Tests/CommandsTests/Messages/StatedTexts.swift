import TestSupport
import VaultInterface

@testable import Commands

/// The texts of a room whose situations no test of this room can bring about.
///
/// They are written here as a person reads them, but with marks around a value that is part of a
/// longer text. A test compares them with the source in both directions, so that a changed text is
/// changed here too.
struct StatedTexts {
  let title: String
  /// The folders of the source.
  var folders: [String]
  /// The function whose literals are compared; `nil` for all of the room.
  var call: String?
  /// The texts, each with its cause; a marked value is `‹work›`.
  var entries: [(what: String, text: String)]
  /// Whether they are the engine's messages about a call.
  var isOfEngine = false
  /// The room's texts for translators, in lower case; empty if it is not translated.
  var catalog = ""
  /// Texts that no situation brings, each with the fault that shows it.
  var unreachable: [(fault: String, text: String)] = []

  /// The texts of the source that are compared.
  var parts: [SourceTexts.Part] {
    get throws { try folders.flatMap { try SourceTexts(of: $0, in: call).parts } }
  }

  /// Whether a text of this file must be in the list.
  func covers(_ file: String) -> Bool {
    folders.contains { file.hasPrefix($0 + "/") }
  }

  /// The rest of a text without its marked values and these parts of the source, the longest first.
  static func rest(of text: String, without parts: [String]) -> String {
    parts.reduce(text.replacing(/‹[^›]*›/, with: "|")) { rest, part in
      SourceTexts.finds(part, in: rest) ? rest.replacing(part, with: "|") : rest
    }
  }

  /// The texts of parts, the longest first.
  static func sorted(_ parts: [SourceTexts.Part]) -> [String] {
    Set(parts.map(\.text)).sorted { $0.count > $1.count }
  }

  /// A text as a person reads it.
  static func unmarked(_ text: String) -> String { text.replacing(/[‹›]/, with: "") }

  var list: ListedErrors {
    ListedErrors(
      title: title,
      entries: entries.map { entry in
        let text = Self.unmarked(entry.text)
        guard isOfEngine else { return ListedErrors.entry(entry.what, text) }
        let error = VaultError.invalidArgument(message: text)
        return ListedErrors.entry(entry.what, CommandError(error))
      }
    )
  }

  static var all: [StatedTexts] {
    get throws { try stated + RoomTexts.rooms.flatMap { try RoomTexts.lists(of: $0) } }
  }

  private static let stated = [
    StatedTexts(
      title: "Calls that the engine refuses",
      folders: ["Sources/TokenVault", "Sources/VaultServer"],
      call: "invalidArgument(",
      entries: accounts + signIns + tokens + secrets + machineKey + moving + calls,
      isOfEngine: true
    ),
    StatedTexts(
      title: "The front",
      folders: ["Sources/thumblatch"],
      entries: [
        ("standard output breaks at a token", "thumblatch: error: the token could not be written"),
        ("standard output breaks at a tool", "thumblatch: error: the answer could not be written"),
        (
          "no memory for the command-line program's input",
          "thumblatch: error: the request could not be passed on"
        ),
      ]
    ),
    StatedTexts(
      title: "Provider files of a backup",
      folders: ["Sources/Providers"],
      entries: [
        (
          "the certificates of another provider",
          "~/providers.d/idp.pem has other certificates: move it away, and try again"
        ),
        ("a file of 65 KiB", "~/providers.d/idp.conf is larger than 65536 bytes"),
        ("the head of the file", "# Written by Thumblatch, and removed with its provider."),
      ]
    ),
  ]
}
