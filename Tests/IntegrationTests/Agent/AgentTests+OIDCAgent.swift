import System
import TestSupport
import Testing

// The clients of oidc-agent at the service: the agent that they ask shows the prompt too.
extension AgentTests {
  @Test
  func aClientOfOIDCAgentGetsItsTokenAfterATouch() throws {
    let path = person.home + "/oidc"
    let agent = try startAgent("--oidc-agent", path)
    try awaitSocket(path)
    func client() throws -> Run { try person.oidcToken("--name=<b>app</b>", "me", at: path) }
    let denied = try client()
    try desk.sees(Self.question)
    try desk.run("desk.click('Deny')")
    let refusal = try denied.text()
    #expect(try denied.child.wait() != .exited(0))
    #expect(refusal.contains("the presence check was cancelled"), "\(refusal)")

    let shown = try desk.count()
    let run = try client()
    try desk.sees("that calls itself &lt;b&gt;app&lt;/b&gt;", above: shown)
    try person.touch()
    let token = try run.text()
    #expect(try run.child.wait() == .exited(0), "\(token)")
    #expect(try person.run("token", "me").succeeded() == token)
    let log = try person.run("audit", "--json").succeeded()
    #expect(log.contains("a client of oidc-agent that calls itself <b>app</b>"), "\(log)")
    try stop(agent)
  }

  @Test
  func thePromptOfAClientThatLeavesIsClosed() throws {
    let path = person.home + "/oidc"
    let agent = try startAgent("--oidc-agent", path)
    try awaitSocket(path)
    let run = try person.oidcToken("me", at: path)
    let number = try desk.sees(Self.question)
    #expect(eventually { person.readerIsOpen })
    run.child.kill()
    _ = try run.child.wait()
    try desk.run("desk.await_signal('NotificationClosed', \(number), 3)")
    #expect(eventually { !person.readerIsOpen })
    try stop(agent)
  }
}
