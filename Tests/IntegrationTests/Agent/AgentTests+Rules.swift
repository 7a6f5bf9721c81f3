import System
import TestSupport
import Testing

// A person makes the rules for desktop prompts stricter, with the system password.
extension AgentTests {
  private func set(_ value: String, _ change: String) throws {
    let terminal = try person.terminal(list: ["policy", "desktop", value], columns: 200)
    try terminal.expect("Type the system password to change the policy (desktop: \(change))")
    try terminal.expect("System password for")
    try terminal.enter(person.systemPassword)
    try terminal.end()
  }

  @Test
  func aPersonTurnsThePromptsAtTheDeskOffAndOn() throws {
    let agent = try startAgent()
    try set("off", "the machine's session → off")
    try ends(try token(), 7, "desktop = off (desktop, your own rule: thumblatch policy)")
    // The next engine keeps the rule, and no program gives it up without the password.
    try bench.endEngine()
    let silent = try person.run("policy", "desktop", "default", "--no-input")
    #expect(silent.end == .exited(7), "\(silent)")
    try ends(try token(), 7, "desktop = off")
    #expect(try desk.count() == 0)
    try set("default", "off → the machine's session")
    let run = try token()
    try desk.sees(Self.question)
    try person.touch()
    try ends(run, 0, "at_")
    try stop(agent)
  }

  @Test
  func aPersonDoesNotLoosenWhatTheMachineSays() throws {
    let laxer = try person.run("policy", "desktop", "user")
    #expect(laxer.end == .exited(11), "\(laxer)")
    #expect(laxer.text.contains("desktop = user is laxer than the machine's, session"), "\(laxer)")
    let rules = try person.run("policy", "desktop", "--json").succeeded()
    #expect(rules.contains(#""holds":"session""#), "\(rules)")
  }
}
