import System
import TestSupport
import Testing

/// Texts of the app, in a program of their own: gettext takes the language from the environment of
/// its process.
struct AppTexts {
  /// A text of the app.
  struct Text {
    let text: String
    /// The text of the command line; empty if it differs in English too.
    let atTerminal: String

    /// The words of two letters and more, also those with a hyphen.
    var words: Set<Substring> {
      Set(text.split { !$0.isLetter && $0 != "-" }.filter { $0.count > 1 })
    }
  }

  private let catalogs: ScratchDirectory

  init() throws {
    catalogs = try ScratchDirectory()
    let compilation = try ChildProcess(
      path: BuiltPrograms.sourceDirectory + "/Scripts/translations",
      arguments: ["--compile", catalogs.path],
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [-1, 2, 2]
    )
    #expect(try compilation.wait() == .exited(0))
  }

  /// The texts about a subject by their names, in a language.
  func about(_ subject: String, in language: String) throws -> [String: Text] {
    let (near, far) = try UnixSocket.pair()
    let output = Descriptor(owning: near)
    let child: ChildProcess
    do {
      // The output ends with the process.
      let theirs = Descriptor(owning: far)
      child = try ChildProcess(
        path: BuiltPrograms.path("PromptProbe"),
        arguments: [subject, catalogs.path],
        // gettext translates nothing in the locale C.
        environment: [
          "LC_ALL=C.UTF-8", "LANGUAGE=" + language, "XDG_CONFIG_HOME=/dev/null",
          // Commands for a private vault need an option then, as beside the service.
          "THUMBLATCH_SOCKET=/s",
        ],
        descriptors: [-1, theirs.number, 2]
      )
    }
    let text = String(decoding: try output.readAll(limit: 1 << 22), as: UTF8.self)
    #expect(try child.wait() == .exited(0))
    var found: [String: Text] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      try #require(parts.count == 3, "\(line)")
      #expect(
        found.updateValue(Text(text: parts[1], atTerminal: parts[2]), forKey: parts[0]) == nil
      )
    }
    return found
  }
}
