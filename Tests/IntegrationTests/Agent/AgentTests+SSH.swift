import TestSupport
import Testing

// A restricted socket that ssh carries to another machine.
extension AgentTests {
  /// Starts a command at the other machine, with the socket of this one.
  private func start(
    _ arguments: String,
    at machine: PersonServer,
    with socket: String
  ) throws -> Run {
    let remote = machine.directory + "/vault.socket"
    return try Run(
      "/usr/bin/setpriv",
      person.become + [
        "/usr/bin/ssh", "-F", "none", "-i", machine.directory + "/key", "-p", machine.port,
        "-o", "BatchMode=yes", "-o", "UserKnownHostsFile=\(machine.directory)/known_hosts",
        "-R", "\(remote):\(socket)", "ada@127.0.0.1",
        "THUMBLATCH_SOCKET=\(remote) \(person.programs)/thumblatch \(arguments)",
      ],
      environment: person.environment
    )
  }

  @Test
  func aProgramOnAnotherMachineGetsATokenThroughSSH() throws {
    let path = person.home + "/build.socket"
    let agent = try person.start(
      ["agent", "--socket", path, "--name", "build", "--account", "me"],
      variables: desk.variables
    )
    try awaitSocket(path)
    let machine = try PersonServer("ssh-server.py", as: person, in: "machine")
    let run = try start("token me --reason 'to deploy'", at: machine, with: path)
    try desk.sees(
      Self.question + " restricted socket \"build\"; stated reason, not verified: \"to deploy\""
    )
    try person.touch()
    try ends(run, 0, "at_")
    // Nothing else answers there either.
    let status = try start("status", at: machine, with: path)
    try ends(status, 11, "restricted socket \"build\" does not allow")
    let other = try start("token other", at: machine, with: path)
    try ends(other, 11, "restricted socket \"build\" does not allow this account")
    try stop(agent)
  }
}
