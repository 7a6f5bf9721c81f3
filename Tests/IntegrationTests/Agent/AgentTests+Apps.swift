import JSON
import System
import TestSupport
import Testing

// The prompts of an app without a terminal whose vault the service keeps.
extension AgentTests {
  private static let unlock = "Touch the fingerprint reader to unlock me"

  /// Starts an app without a terminal.
  private func app(_ verb: String = "desktop", _ variables: [String] = []) throws -> Run {
    try shell("install -m 755 \(BuiltPrograms.path("AppAtTerminal")) \(person.programs)/")
    return try Run(
      "/usr/bin/setsid",
      ["/usr/bin/setpriv"] + person.become
        + ["\(person.programs)/AppAtTerminal", verb, "to show your mail"],
      environment: person.environment + variables
    )
  }

  /// The app has no desktop of its own here, like an app in a unit of the person.
  @Test
  func anAgentShowsThePromptOfAnApp() throws {
    let agent = try startAgent()
    let run = try app()
    try desk.sees(Self.unlock)
    try desk.sees("stated reason, not verified: \"to show your mail\"")
    try person.touch()
    try ends(run, 0, "unlocked")
    try stop(agent)
  }

  /// An app states its reason to the engine, which trusts it no more than any other reason.
  @Test
  func anAgentShowsTheReasonOfAnAppForAToken() throws {
    let agent = try startAgent()
    let run = try app("token")
    try desk.sees("Touch the fingerprint reader to use account 'me'")
    try desk.sees("stated reason, not verified: \"to show your mail\"")
    try person.touch()
    try ends(run, 0, "got a Bearer token")
    let log = try person.run("audit", "--json").succeeded()
    #expect(log.contains("stated reason \\\"to show your mail\\\""), "\(log)")
    try stop(agent)
  }

  @Test
  func denyingAtTheAgentCancelsThePromptOfAnApp() throws {
    let agent = try startAgent()
    let run = try app("desktop", desk.variables)
    try desk.sees(Self.unlock)
    try desk.run("desk.click('Deny')")
    try ends(run, 0, "PresenceFailure.cancelled")
    // The app shows no second prompt.
    #expect(try desk.run("len({each['id'] for each in desk.shown} - {0})") == .integer(1))
    #expect(eventually { !person.readerIsOpen })
    try stop(agent)
  }

  @Test
  func withoutAnAgentAnAppShowsItsPromptItself() throws {
    let run = try app("desktop", desk.variables)
    try desk.sees("\(Self.unlock), to show your mail (requested by")
    try person.touch()
    try ends(run, 0, "unlocked")
  }
}
