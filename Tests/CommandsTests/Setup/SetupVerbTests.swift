import JSON
import TestSupport
import Testing
import VaultInterface

@testable import Commands

/// `setup`; `Messages` has its texts.
struct SetupVerbTests {
  private static let backend = "kind = password-backend\nissuer = https://id.example.com\n"

  /// Answers the calls of a setup to the engine: no reader, and these accounts.
  private static func facts(_ stage: Stage, _ accounts: [VaultAccount] = []) throws {
    let reader = VaultReader(available: false, reason: "none is plugged in")
    try Situation.ready(stage, accounts, reader: reader)
  }

  @Test
  func theStepsAsJSONHaveStableKeys() throws {
    let home = try ProviderHome()
    let missing = try home.run("setup --json") { try Self.facts($0) }
    #expect(missing.code == .promptNeeded && missing.talk.isEmpty && missing.screen.isEmpty)
    let object = try VerbTests.object(missing.out)
    #expect(object.members.map(\.name) == ["complete", "steps", "error"])
    #expect(try !object.boolean("complete"))
    let steps = try object.array("steps").map { value in
      guard case .object(let step) = value else { throw CommandError(.bug, "no step") }
      #expect(step.members.map(\.name) == ["step", "state", "text", "commands"])
      return "\(try step.string("step")) \(try step.string("state"))"
    }
    #expect(
      steps == [
        "reader not-needed", "finger not-needed", "provider missing", "login missing",
        "protection missing", "tools not-needed",
      ]
    )

    try home.write(Self.backend, "dev")
    let whole = try home.run("setup --json") { try Self.facts($0, [Situation.protected]) }
    #expect(whole.code == .done)
    #expect(try VerbTests.object(whole.out).boolean("complete"))
  }

  @Test
  func withoutQuestionsTheCommandsThatAreLeftAreTheOutput() throws {
    let home = try ProviderHome()
    try home.write(Self.backend, "dev")
    for line in ["setup", "setup --no-input"] {
      let play = try home.run(line, terminal: line != "setup") {
        try Self.facts($0, [Situation.account()])
      }
      #expect(play.code == .promptNeeded)
      #expect(play.out == "thumblatch presence enable work\n")
      #expect(!play.screen.contains("[Y/n/q]"))
    }
  }

  @Test
  func theCommandsAreForTheVaultThatWasLookedAt() throws {
    let home = try ProviderHome()
    // A command without the option uses the socket, or else the same vault.
    for (variables, program) in [
      (["THUMBLATCH_SOCKET": "/s"], "thumblatch --private"), ([:], "thumblatch"),
    ] {
      let play = try Play.run(
        ["setup", "--private", "--no-input"],
        environment: home.environment.merging(variables) { $1 }
      ) { try Self.facts($0, [Situation.account()]) }
      let commands = play.out.split(separator: "\n")
      let missing = [
        "provider add NAME --template T --client-id ID", "presence enable work",
      ]
      #expect(commands.map(String.init) == missing.map { "\(program) \($0)" })
      #expect(play.talk.contains("hint: run \(program) setup at a terminal"), "\(play.talk)")
    }
  }

  /// After the person has left, only the remaining steps are called.
  @Test(arguments: ["q", "quit", "Q"])
  func aPersonCanLeave(_ answer: String) throws {
    let play = try ProviderHome().run("setup") { stage in
      for _ in 0..<4 { try Self.facts(stage) }
      try stage.answer("[Y/n/q] ", answer)
      try Self.facts(stage)
      try stage.expectEnd()
    }
    #expect(play.code == .done)
    #expect(play.screen.contains("thumblatch provider add"))
  }

  @Test
  func ctrlCLeavesAtOnce() throws {
    let play = try ProviderHome().run("setup") { stage in
      for _ in 0..<4 { try Self.facts(stage) }
      try stage.answer("[Y/n/q] ", "y")
      try stage.terminal.waitFor("Number or name: ")
      try stage.interrupt()
      try stage.expectEnd()
    }
    #expect(play.code == .interrupted)
  }

  /// A setup is complete without it.
  @Test
  func aToolThatIsFoundIsOfferedAnAccount() throws {
    let home = try ProviderHome()
    try home.write(Self.backend, "dev")
    try home.writeSettings("", "codex/config.toml")
    let accounts = [Situation.protected]
    let silent = try home.run("setup --no-input") { try Self.facts($0, accounts) }
    #expect(silent.code == .done)
    let play = try home.run("setup") { stage in
      for _ in 0..<7 { try Self.facts(stage, accounts) }
      try stage.answer("[Y/n/q] ", "")
      try stage.answer("(Enter: none): ", "")
      try stage.answer("(Enter: none): ", "https://mcp.example.org/mcp")
      #expect(try stage.expect(RequestTermsCall.self).account == "work")
      try stage.fail(.noSuchAccount(account: "work"))
      try stage.answer("[y/N] ", "y")
      for _ in 0..<2 { try Self.facts(stage, accounts) }
      try stage.expectEnd()
    }
    #expect(play.code == .done, "\(play.talk)")
    let profile = home.settings("codex/thumblatch-work.config.toml")
    #expect(profile?.contains("https://mcp.example.org/mcp") == true)
    let again = try home.run("setup") { stage in
      for _ in 0..<8 { try Self.facts(stage, accounts) }
      try stage.expectEnd()
    }
    #expect(again.code == .done)
  }

  /// A person with an account and with both tools.
  private static func homeWithTools() throws -> ProviderHome {
    let home = try ProviderHome()
    try home.write(backend, "dev")
    try home.writeSettings("", "claude/settings.json")
    try home.writeSettings("", "codex/config.toml")
    return home
  }

  /// Answers the two questions about a tool, and those before its files are shown.
  private static func name(_ url: String, _ stage: Stage) throws {
    try stage.answer("(Enter: none): ", "")
    try stage.answer("(Enter: none): ", url)
    _ = try stage.expect(RequestTermsCall.self)
    try stage.fail(.noSuchAccount(account: "work"))
  }

  @Test
  func aNoToTheFilesOfOneToolLeavesTheOther() throws {
    let home = try Self.homeWithTools()
    let accounts = [Situation.protected]
    let play = try home.run("setup") { stage in
      for _ in 0..<7 { try Self.facts(stage, accounts) }
      try stage.answer("[Y/n/q] ", "")
      try Self.name("https://a.example/mcp", stage)
      try stage.answer("[y/N] ", "n")
      try Self.name("https://b.example/mcp", stage)
      try stage.answer("[y/N] ", "y")
      for _ in 0..<2 { try Self.facts(stage, accounts) }
      try stage.expectEnd()
    }
    #expect(play.code == .done, "\(play.talk)")
    #expect(play.screen.contains("Nothing was written for Claude Code."))
    #expect(home.settings("claude/thumblatch-work.mcp.json") == nil)
    #expect(home.settings("codex/thumblatch-work.config.toml") != nil)
  }

  @Test
  func anErrorOfOneToolIsAskedAgainOrLeavesTheOther() throws {
    let home = try Self.homeWithTools()
    let accounts = [Situation.protected]
    let play = try home.run("setup") { stage in
      for _ in 0..<7 { try Self.facts(stage, accounts) }
      try stage.answer("[Y/n/q] ", "")
      for answer in ["y", "n"] {
        try stage.answer("(Enter: none): ", "")
        try stage.answer("(Enter: none): ", "http://a.example")
        try stage.answer("[Y/n/q] ", answer)
      }
      try Self.name("https://b.example/mcp", stage)
      try stage.answer("[y/N] ", "y")
      for _ in 0..<2 { try Self.facts(stage, accounts) }
      try stage.expectEnd()
    }
    #expect(play.code == .done, "\(play.talk)")
    #expect(home.settings("codex/thumblatch-work.config.toml") != nil)
  }

  /// The end of the input leaves the setup.
  @Test
  func ctrlDAtAToolLeaves() throws {
    let home = try Self.homeWithTools()
    let accounts = [Situation.protected]
    let play = try home.run("setup") { stage in
      for _ in 0..<7 { try Self.facts(stage, accounts) }
      try stage.answer("[Y/n/q] ", "")
      try stage.terminal.waitFor("(Enter: none): ")
      try stage.terminal.type("\u{4}")
      try Self.facts(stage, accounts)
      try stage.expectEnd()
    }
    #expect(play.code == .done, "\(play.talk)")
    #expect(!(play.talk + play.screen).contains("was typed"))
    #expect(play.screen.contains("Everything is set up."))
  }

  @Test
  func theAnswersBecomeTheProvidersFile() throws {
    let home = try ProviderHome()
    let play = try home.run("setup") { stage in
      for _ in 0..<4 { try Self.facts(stage) }
      try stage.answer("[Y/n/q] ", "")
      try stage.answer("Number or name: ", "password-backend")
      // A value that looks like an option stays a value.
      try stage.answer("URL of the provider: ", "http://localhost:8000")
      try stage.answer("(Enter: localhost-8000): ", "")
      for _ in 0..<2 { try Self.facts(stage) }
      try stage.answer("[Y/n/q] ", "q")
      try Self.facts(stage)
    }
    #expect(play.code == .done)
    #expect(try home.text("localhost-8000").contains("issuer = http://localhost:8000"))
  }
}
