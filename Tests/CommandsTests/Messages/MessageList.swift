import DesktopPrompt

@testable import Commands

/// The list of all messages, in the order in which a person may read them.
enum MessageList {
  static let head = """
    # What a person reads, in every situation that tests bring about. Scripts/texts writes this file.
    #
    # A dollar sign begins the words of a command, with the circumstances in brackets. Then come the
    # lines on the terminal (|), on standard error (!) and on standard output (>), and the exit status.


    """

  static func text() throws -> String {
    var sections: [String] = []
    for verb in [GuideVerb.bare] + Program.verbs {
      let of = Situation.all.filter { $0.verb?.name == verb.name }
      sections.append(try section(command(verb.name), of.map(entry)))
    }
    let misunderstood = Situation.all.filter { $0.verb == nil }
    sections.append(try section("Words that are not understood", misunderstood.map(entry)))
    for list in try ListedErrors.all { sections.append(section(list.title, list.entries)) }
    return head + sections.joined(separator: "\n\n")
  }

  private static func section(_ title: String, _ entries: [String]) -> String {
    "== \(title)\n\n" + entries.joined(separator: "\n")
  }

  /// A situation with its texts.
  private static func entry(_ situation: Situation) throws -> String {
    let needsHome =
      situation.files != nil || situation.hosts != nil || situation.settings != nil
    let home = needsHome ? try ProviderHome() : nil
    for (name, text) in situation.settings ?? [:] { try home?.writeSettings(text, name) }
    for (name, text) in situation.files ?? [:] { try home?.write(text, name) }
    if let hosts = situation.hosts { try home?.writeHosts(hosts) }
    let play = try Play.run(
      // Only here is it known where the directory of the situation is.
      home.map { home in situation.words.map { $0.replacing("FOLDER", with: home.path) } }
        ?? situation.words,
      terminal: situation.hasTerminal,
      // No line is broken.
      columns: 10_000,
      kind: situation.kind,
      output: situation.output,
      input: situation.input.map { Array($0.utf8) },
      environment: situation.environment.merging(home?.environment ?? [:]) { $1 },
      prepare: { session in
        session.location = situation.location
        session.isRoot = situation.isRoot
        session.lacksSecurityKey = { situation.lacksSecurityKey }
        session.answer(situation.web)
        if let error = situation.desktop {
          session.openDesktop = { () throws(DesktopError) in throw error }
        }
      },
      script: { stage in
        do { try situation.script(stage) } catch {
          throw ScriptError(line: "\(situation.line) [\(situation.what)]", cause: error)
        }
      }
    )
    let words = situation.words.joined(separator: " ").replacing(/(\w)\1{200,}/) {
      "\($0.output.1)..."
    }
    var lines = ["$ \(command(words))   [\(situation.what)]"]
    lines += shown(play.screen, "| ", home) + shown(play.talk, "! ", home)
    lines += shown(play.out, "> ", home)
    if play.code != .done { lines.append("exit \(play.code.rawValue)") }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func command(_ words: String) -> String {
    words.isEmpty ? "thumblatch" : "thumblatch \(words)"
  }

  private static func shown(_ text: String, _ mark: String, _ home: ProviderHome?) -> [String] {
    var plain = text.replacing("\r\n", with: "\n").replacing("\u{A0}", with: " ")
    plain = plain.replacing("\r\u{1B}[K", with: "\n").replacing(/\u{1B}\[[0-9;]*m/, with: "")
    if let home { plain = plain.replacing(home.path, with: "~/.config") }
    // Times and ports differ from run to run.
    plain = plain.replacing(/\d{4}-\d\d-\d\d/, with: "2025-11-21")
      .replacing(/\d\d:\d\d:\d\d/, with: "09:30:00").replacing(/\d+:\d\d left/, with: "4:59 left")
      .replacing(/(127\.0\.0\.1|localhost):\d{5}/, with: { "\($0.output.1):49152" })
    plain = plain.replacing(/(\w)\1{200,}/, with: { "\($0.output.1)..." })
    let lines = plain.split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
      .map { line in mark + String(line.reversed().drop { $0 == " " }.reversed()) }
    // A countdown comes when the machine has time for it, so it stands at the end, once.
    var countdowns: [String] = []
    for line in lines where line.hasSuffix(" left") && !countdowns.contains(line) {
      countdowns.append(line)
    }
    return lines.filter { !$0.hasSuffix(" left") } + countdowns
  }

  /// A script that failed, with its situation.
  private struct ScriptError: Error {
    let line: String
    let cause: any Error
  }
}
