import System
import TestSupport
import Testing

// The clients of the Secret Service at the service: the agent that they ask shows the prompt too.
extension AgentTests {
  @Test
  func aClientOfTheSecretServiceGetsItsPasswordAfterATouch() throws {
    let secrets = SecretServiceDesk(person: person, desk: desk)
    let agent = try startAgent("--secret-service")
    try secrets.awaitName()
    try secrets.store("hunter2")
    let lookUp = "secret-tool lookup mail ada"
    let shown = try desk.count()
    let denied = try secrets.start("\(lookUp) || echo none")
    try desk.sees(SecretServiceDesk.unlocking, above: shown)
    try desk.run("desk.click('Deny')")
    #expect(try !denied.text().contains("hunter2"))
    #expect(try secrets.touching(SecretServiceDesk.unlocking, lookUp) == "hunter2")
    try secrets.stop(agent, "the presence check was cancelled")
  }
}
