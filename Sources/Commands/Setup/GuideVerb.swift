internal import JSON

/// `thumblatch` without a verb: the status, or how to begin.
enum GuideVerb {
  /// It has no name, so that no list shows it.
  static let bare = Verb("", summary: "") { session throws(CommandError) in
    do throws(CommandError) {
      let accounts = try StatusVerbs.accounts(session, named: nil)
      guard accounts.isEmpty else { return try StatusVerbs.status.run(session) }
    } catch {
      // The status names the problem of a vault that is not accepted.
      guard error.code == .unsafeVault else { throw error }
      return try StatusVerbs.status.run(session)
    }
    var table = Table(headings: ["", ""])
    for (command, meaning) in commands { table.add(command, meaning) }
    table.whole = [0]
    let lines = table.text(columns: session.output.columns.map { $0 - 2 }).split(separator: "\n")
    let head = [
      "Thumblatch keeps refresh tokens sealed until you show that you are present.",
      "There is no account yet. To begin:", "",
    ]
    try session.show(
      ["accounts": .array([]), "next": .array(commands.map { .string($0.0) })],
      (head + lines.map { "  \($0)" } + ["", "thumblatch --help lists all verbs."])
        .joined(separator: "\n")
    )
  }

  private static let commands = [
    ("thumblatch setup", "go through all of it, step by step"),
    ("thumblatch provider add --template", "list well-known providers to add"),
    ("thumblatch login", "sign in at a provider that is added"),
    ("thumblatch presence enable", "require a finger or the password from then on"),
  ]
}
