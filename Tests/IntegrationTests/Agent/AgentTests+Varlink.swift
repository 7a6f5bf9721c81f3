import System
import TestSupport
import Testing

// A program that knows Varlink and nothing of the vault, at the service.
extension AgentTests {
  @Test
  func aProgramInPythonHasItsPromptShownAtTheDesk() throws {
    let tools = try VarlinkTools(for: person)
    let program = """
      import sys, varlink
      with varlink.Client("unix:" + sys.argv[1]) as client, client.open("io.thumblatch.Vault") as vault:
          try:
              vault.AccessToken("me")
          except varlink.VarlinkError as error:
              prompt = error.parameters()["prompt"]
          vault.AskAtDesktop(prompt)
          print(vault.AccessToken(account="me", prompt=prompt)["access_token"])
      """
    let agent = try startAgent()
    let run = try Run(
      "/usr/bin/setpriv",
      person.become + ["/usr/bin/python3", "-c", program, bench.socket],
      environment: ["PATH=/usr/bin:/bin", "PYTHONPATH=\(tools.packages)"]
    )
    try desk.sees(Self.question)
    try person.touch()
    let token = try run.text()
    #expect(try run.child.wait() == .exited(0), "\(token)")
    #expect(try person.run("token", "me").succeeded() == token)
    try stop(agent)
  }
}
