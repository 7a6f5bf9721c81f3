internal import JSON
internal import VaultClient

/// `setup`: guides a person from the reader to the protection of an account.
enum SetupVerb {
  static let all = [setup]

  static let setup = Verb(
    "setup",
    [
      Verb.Operand("TOOL", .optional, offers: .words(Tool.allCases.map(\.rawValue))),
      .account,
    ],
    options: [SetupTools.url, SetupTools.mcp, SetupTools.name, SetupTools.undo, SetupTools.yes],
    summary: "set everything up, step by step, or let a tool use an account",
    details: """
      Goes through reader, finger, provider, login and protection, and offers an account to the \
      tools that it finds. Each step shows what is already set up and offers the rest: Enter does \
      it, n skips it, q quits. Run it again to continue.
      Without TOOL and without a terminal, or with --no-input or --json, it changes nothing. It \
      prints the commands for the missing steps, and ends with exit 7 if there are any.
      With TOOL, it writes files that make Claude Code (claude-code) or Codex (codex) run \
      thumblatch to get the account's tokens, and prints the command that starts the tool with \
      these files. It shows the files and asks, unless --yes is given. The tool's own settings do \
      not change. If you wrote or changed a file with the same name, it is kept with \
      .before-thumblatch added to its name. A different account, URL or program in a file that \
      setup wrote does not count as a change. Codex reads only one profile. A second setup with \
      the same --name keeps that profile's service and the MCP servers of other accounts. Codex \
      accepts no dot in a name, so a dot becomes a hyphen. A number follows if the profile or the \
      MCP server of another account has that name. --undo removes the files for TOOL or for all \
      tools, and restores a kept file. It leaves a file that you wrote or changed.
      """
  ) { session throws(CommandError) in
    let tool = try session.arguments.operands.first.map { word throws(CommandError) in
      try SetupTools.tool(word)
    }
    try SetupTools.demandTool(tool, session)
    if session.arguments.has(SetupTools.undo.name) {
      return try SetupTools.undo(tool.map { [$0] } ?? Tool.allCases, session)
    }
    if let tool { return try SetupTools.write(tool, session) }
    guard !session.output.json, session.canQuestion else { return try list(session) }
    try guide(session)
  }

  // MARK: At a terminal

  private static func guide(_ session: Session) throws(CommandError) {
    let output = session.output
    let first = try SetupFacts(session)
    if SetupStep.all.contains(where: { line(of: $0, first).isAsked }) {
      output.say("Enter: do it, n: skip, q: quit. To continue later: thumblatch setup")
    }
    var left: Set<String> = []
    var hasAsked = true
    for step in SetupStep.all {
      let facts = try SetupFacts(session)
      let (mark, text, isAsked) = line(of: step, facts)
      if isAsked || hasAsked { output.say(" ") }
      hasAsked = isAsked
      output.say("[\(mark)] \(step.name): \(text)")
      guard isAsked else { continue }
      if let earlier = step.needs, left.contains(earlier) {
        output.say("Do the \(earlier) step first.")
      } else if try !perform(step, facts, session) {
        break
      }
      if case .missing = step.state(try SetupFacts(session)) { left.insert(step.name) }
    }
    output.say(" ")
    let commands = missing(try SetupFacts(session)).flatMap(\.commands)
    guard !commands.isEmpty else { return output.say("Everything is set up.") }
    output.say("Still to do:")
    output.announce(lines: commands.map { "  \($0)" })
  }

  /// A mark for the state of a step, its text, and whether the person is asked.
  private static func line(
    of step: SetupStep,
    _ facts: SetupFacts
  ) -> (mark: String, text: String, isAsked: Bool) {
    // Spaces that a line may not be broken at keep the marks as wide as each other.
    switch step.state(facts) {
    case .done(let text): ("ok", text, false)
    case .offered(let text): ("--", text, true)
    case .notNeeded(let text): ("--", text, false)
    case .missing(let text, _): ("\u{A0}\u{A0}", text, true)
    }
  }

  /// Offers a step until it is done, or skipped; false if the person leaves.
  private static func perform(
    _ step: SetupStep,
    _ facts: SetupFacts,
    _ session: Session
  ) throws(CommandError) -> Bool {
    var question = step.question
    while true {
      switch try session.agrees(question) {
      case .no: return true
      case .leave: return false
      case .yes: break
      }
      do throws(CommandError) {
        return try step.perform(session, facts)
      } catch {
        // Ctrl-C leaves the setup, and the answer no only the step.
        guard error != .interrupted else { throw error }
        session.output.fail(error)
      }
      question = "Try again?"
    }
  }

  // MARK: Without questions

  private struct Missing {
    let step: SetupStep
    let text: String
    let commands: [String]
  }

  private static func missing(_ facts: SetupFacts) -> [Missing] {
    SetupStep.all.compactMap { step in
      guard case .missing(let text, let commands) = step.state(facts) else { return nil }
      return Missing(step: step, text: text, commands: commands)
    }
  }

  private static func list(_ session: Session) throws(CommandError) {
    let facts = try SetupFacts(session)
    let missing = missing(facts)
    let object: JSONObject = [
      "complete": .boolean(missing.isEmpty),
      "steps": .array(SetupStep.all.map { .object(Self.object($0, facts)) }),
    ]
    guard !missing.isEmpty else { return try session.report(object, "everything is set up") }
    if !session.output.json {
      let commands = missing.flatMap(\.commands).joined(separator: "\n")
      try session.output.data(session.output.commands.adapted(commands))
    }
    throw CommandError(
      .promptNeeded,
      "setup is not complete: "
        + missing.map { "\($0.step.name) (\($0.text))" }.joined(separator: ", "),
      hint: "run thumblatch setup at a terminal",
      facts: object
    )
  }

  private static func object(_ step: SetupStep, _ facts: SetupFacts) -> JSONObject {
    let (state, text, commands): (String, String, [String]) =
      switch step.state(facts) {
      case .done(let text): ("done", text, [])
      case .offered(let text), .notNeeded(let text): ("not-needed", text, [])
      case .missing(let text, let commands): ("missing", text, commands)
      }
    return [
      "step": .string(step.name), "state": .string(state), "text": .string(text),
      "commands": .array(commands.map { .string($0) }),
    ]
  }
}
