import System
import TestSupport
import Testing

/// A recipe of thumblatch-recipes(7): the commands and files of one section.
struct ToolRecipe {
  private enum Step {
    case run(String)
    case file(path: String, text: String)
  }

  private var steps: [Step] = []

  /// Reads the section of a title, for a host, a directory of programs and a socket in place of the
  /// page's own.
  ///
  /// `origin` is that of the host, if it is not `https` there.
  init(
    _ title: String,
    host: String,
    origin: String? = nil,
    programs: String,
    socket: String = ""
  ) throws {
    let path = "\(BuiltPrograms.sourceDirectory)/Sources/Installed/usr/share/man/man7/"
    let page = Self.plain(try shell("cat \(path)thumblatch-recipes.7"))
    let start = try #require(
      page.firstRange(of: ".SH USE IT WITH \(title)\n") ?? page.firstRange(of: ".SH \(title)\n")
    )
    let section = page[start.upperBound...].split(separator: "\n.SH ")[0]
    let blocks = "\n\(section)".split(separator: "\n.\\\" ", omittingEmptySubsequences: false)
    for block in blocks.dropFirst() {
      let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
      let begin = try #require(lines.firstIndex(of: ".EX"))
      let end = try #require(lines.firstIndex(of: ".EE"))
      let text = lines[(begin + 1)..<end].joined(separator: "\n")
        .replacing(/https:\/\/[a-z]+\.example\.org/, with: origin ?? "https://\(host)")
        .replacing(/[a-z]+\.example\.org/, with: host)
        .replacing("/usr/bin/", with: programs + "/")
        .replacing("/run/thumblatch/io.thumblatch.Vault", with: socket)
      let words = lines[0].split(separator: " ")
      if words[0] == "file" {
        steps.append(.file(path: String(try #require(words.last)), text: text))
      } else {
        try #require(words == ["run"])
        steps.append(.run(text))
      }
    }
  }

  /// Text of the page without the escapes of roff that recipes and titles have.
  static func plain(_ text: String) -> String {
    text.replacing("\\-", with: "-").replacing("\\(aq", with: "'").replacing("\\e", with: "\\")
  }

  /// The recipe as a script; a file is written with the text of its step.
  var script: String {
    steps.map { step in
      switch step {
      case .run(let text): text
      case .file(let path, let text):
        "mkdir -p $(dirname \(path)); cat >\(path) <<'END'\n\(text)\nEND"
      }
    }.joined(separator: "\n")
  }
}
