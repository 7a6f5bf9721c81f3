import TestSupport
import VaultInterface

@testable import Commands

/// The texts of a room whose situations no test of this room can bring about.
///
/// They stand here as a person reads them, but with marks around a value that has words beside it.
/// A test compares them with the source in both directions, so that a changed text is changed here
/// too.
struct StatedTexts {
  let title: String
  /// The folders of the source.
  let folders: [String]
  /// The function whose literals are compared; `nil` for all of the room.
  var call: String?
  /// The texts, with what brings each about; a marked value is `‹work›`.
  let entries: [(what: String, text: String)]
  /// Whether they are what the engine says of a call.
  var isOfEngine = false

  /// The texts of the source that are compared.
  var parts: [SourceTexts.Part] {
    get throws { try folders.flatMap { try SourceTexts(of: $0, in: call).parts } }
  }

  /// The rest of a text without its marked values and these parts of the source.
  static func rest(of text: String, without parts: [SourceTexts.Part]) -> String {
    Set(parts.map(\.text)).sorted { $0.count > $1.count }
      .reduce(text.replacing(/‹[^›]*›/, with: "|")) { $0.replacing($1, with: "|") }
  }

  var list: ListedErrors {
    ListedErrors(
      title: title,
      entries: entries.map { entry in
        let text = entry.text.replacing(/[‹›]/, with: "")
        guard isOfEngine else { return ListedErrors.entry(entry.what, text) }
        let error = VaultError.invalidArgument(message: text)
        return ListedErrors.entry(entry.what, CommandError(error))
      }
    )
  }

  static let all = [
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
