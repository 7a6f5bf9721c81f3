internal import Configuration
internal import PresenceTerms
internal import VaultInterface

/// One step of `setup`: the part that is done, and how to do the rest.
///
/// To add a step, add a value to `all`.
struct SetupStep {
  /// How far a step is, with a clause for the person.
  enum State {
    case done(String)
    /// Something is left to do, by these commands.
    case missing(String, commands: [String])
    /// Something can be done that a setup is complete without.
    case offered(String)
    /// Nothing can be done here, and nothing has to be.
    case notNeeded(String)
  }

  /// The name of the step, in `--json` too.
  let name: String
  let state: @Sendable (SetupFacts) -> State
  /// The question whether to do it now.
  let question: String
  /// The earlier step that must be done first; `nil` if there is none.
  let needs: String?
  /// Does it by the verbs that a person would call; false if the person leaves the setup.
  let perform: @Sendable (Session, SetupFacts) throws(CommandError) -> Bool

  static let all = [reader, finger, provider, login, protection, tools]

  private static let reader = SetupStep(
    name: "reader",
    state: { facts in
      let line = ReaderText.line(facts.reader)
      return facts.reader.available ? .done(line) : .notNeeded(line)
    },
    question: "",
    needs: nil,
    perform: { _, _ throws(CommandError) in true }
  )

  private static let finger = SetupStep(
    name: "finger",
    state: { facts in
      let desktop = facts.status.desktopFingers ?? []
      guard facts.status.enrolledFingers.isEmpty, desktop.isEmpty else {
        return .done(
          FingerText.line(
            own: facts.status.enrolledFingers,
            desktop: desktop,
            facts.status.fingerSource
          )
        )
      }
      guard facts.reader.available || facts.reader.known == .notLooked else {
        return .notNeeded("the system password takes its place")
      }
      return .missing("none is enrolled", commands: ["thumblatch fingers enroll right-index"])
    },
    question: "Enroll the right index finger? It needs the system password and a few touches.",
    needs: nil,
    perform: { session, _ throws(CommandError) in
      try session.run(["fingers", "enroll", "right-index"])
      return true
    }
  )

  private static let provider = SetupStep(
    name: "provider",
    state: { facts in
      let names = facts.providers.prefix(8).map(\.text).joined(separator: ", ")
      guard names.isEmpty else {
        return .done(names + (facts.providers.count > 8 ? " and others" : ""))
      }
      return .missing(
        "none is added",
        commands: ["thumblatch provider add NAME --template T --client-id ID"]
      )
    },
    question: "Add the provider where you sign in?",
    needs: nil,
    perform: { session, _ throws(CommandError) in
      try SetupQuestions.addProvider(session)
      return true
    }
  )

  private static let login = SetupStep(
    name: "login",
    state: { facts in
      let again = facts.toSignIn
      let signedIn = facts.signedIn.prefix(8).map { account in
        let person = account.email ?? account.displayName
        return account.name + (person.map { " is \($0)" } ?? "") + " at \(account.provider)"
      }
      if !signedIn.isEmpty, again.allSatisfy({ $0.state != .loginRequired }) {
        return .done(signedIn.joined(separator: ", "))
      }
      guard !again.isEmpty else {
        return .missing("no account is signed in", commands: ["thumblatch login"])
      }
      return .missing(
        "a login is required for \(again.map(\.name).joined(separator: ", "))",
        commands: again.map { "thumblatch login \($0.name)" }
      )
    },
    question: "Sign in now?",
    needs: "provider",
    perform: { session, facts throws(CommandError) in try SetupQuestions.signIn(session, facts) }
  )

  private static let protection = SetupStep(
    name: "protection",
    state: { facts in
      let open = facts.signedIn.filter { !$0.presenceProtection }.map(\.name)
      let all = facts.signedIn.map(\.name)
      guard open.isEmpty, !all.isEmpty else {
        return .missing(
          all.isEmpty ? "no account to protect yet" : "off for \(open.joined(separator: ", "))",
          commands: all.isEmpty
            ? ["thumblatch presence enable"]
            : open.map { "thumblatch presence enable \($0)" }
        )
      }
      return .done("on for \(all.joined(separator: ", "))")
    },
    question: "Require a finger or the system password from now on?",
    needs: "login",
    perform: { session, facts throws(CommandError) in
      for account in facts.signedIn where !account.presenceProtection {
        try session.run(["presence", "enable", account.name])
      }
      return true
    }
  )

  private static let tools = SetupStep(
    name: "tools",
    state: { facts in
      guard !facts.tools.isEmpty else {
        return .notNeeded("Claude Code and Codex were not found")
      }
      let ready = facts.tools.filter(\.hasRecipe).map(\.tool.title)
      guard ready.isEmpty else { return .done(ready.joined(separator: ", ")) }
      let names = facts.tools.map { $0.tool.rawValue }.joined(separator: " or ")
      let text = "thumblatch setup \(names) lets the tool use an account"
      return facts.signedIn.isEmpty ? .notNeeded(text) : .offered(text)
    },
    question: "Have a tool use an account now?",
    needs: nil,
    perform: { session, facts throws(CommandError) in try SetupQuestions.addTools(session, facts) }
  )
}
