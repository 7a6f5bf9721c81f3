import Glibc
import System
import TestSupport
import Testing

// The clients of oidc-agent at a private vault: the agent that they ask shows the prompts itself.
extension DesktopPromptTests {
  private var path: String { person.home + "/oidc" }

  private func startOIDCAgent() throws -> Run {
    let agent = try person.start(["agent", "--oidc-agent", path], variables: desk.variables)
    try awaitSocket(path)
    return agent
  }

  private func stop(_ agent: Run) throws {
    kill(agent.child.identifier, SIGTERM)
    #expect(try agent.text() == "")
    #expect(try agent.child.wait() == .exited(0))
  }

  private func client() throws -> Run { try person.oidcToken("me", at: path) }

  @Test
  func clientsOfOIDCAgentAtOnceHaveOnePromptShown() throws {
    let agent = try startOIDCAgent()
    let denied = try client()
    try desk.sees(Self.question)
    try desk.run("desk.click('Deny')")
    let refusal = try denied.text()
    #expect(try denied.child.wait() != .exited(0))
    #expect(refusal.contains("the presence check was cancelled"), "\(refusal)")

    let shown = try desk.count()
    let clients = [try client(), try client()]
    try desk.sees("\"a client of oidc-agent that calls itself oidc-token\"", above: shown)
    try person.touch()
    let tokens = try clients.map { try $0.text() }
    for run in clients { #expect(try run.child.wait() == .exited(0), "\(tokens)") }
    #expect(tokens[0].hasPrefix("at_") && tokens[0] == tokens[1], "\(tokens)")
    try stop(agent)
  }

  @Test
  func aClientOfOIDCAgentThatForcesANewTokenHasOnePromptShown() throws {
    let agent = try startOIDCAgent()
    let run = try person.oidcToken("--force-new", "me", at: path)
    try desk.sees(Self.question)
    try person.touch()
    let token = try run.text()
    #expect(try run.child.wait() == .exited(0))
    #expect(token.hasPrefix("at_"), "\(token)")
    try stop(agent)
  }

  @Test
  func aClientOfOIDCAgentThatLeavesTakesItsPromptAway() throws {
    let agent = try startOIDCAgent()
    let run = try client()
    let number = try desk.sees(Self.question)
    #expect(eventually { person.readerIsOpen })
    run.child.kill()
    _ = try run.child.wait()
    try desk.run("desk.await_signal('NotificationClosed', \(number), 3)")
    #expect(eventually { !person.readerIsOpen })
    try stop(agent)
  }
}
