import Glibc
import System
import TestSupport
import Testing

/// Root's `device-secret add tpm` is interrupted, with vaults of several users.
extension MachineKeyStoryTests {
  /// A command of root's, about the slots.
  private func root(_ bench: ServiceBench, _ words: String) throws -> Run {
    try Run(
      "/bin/sh",
      ["-c", "exec \(bench.programs)/thumblatch device-secret \(words)"],
      environment: ["THUMBLATCH_SOCKET=\(bench.socket)", "PATH=/usr/bin:/bin", "HOME=/root"]
    )
  }

  /// The commands of the TPM after which no vault, or one at least, is under the machine key.
  @Test(arguments: [["134", "131"], ["134", "134"]])
  func anEngineThatIsKilledIsFollowedByOneThatAddsTheTPMForAll(_ commands: [String]) throws {
    let backend = try DevBackend()
    let (machine, tpm) = (try MachineWithTPM(), try SoftwareTPM())
    try machine.plug(tpm, for: ServiceBench.helperUser)
    let bench = try ServiceBench(in: machine)
    let members = [
      try Customer(bench, backend: backend),
      try Customer(bench, isSecond: true, backend: backend),
    ]
    for member in members { try member.register() }
    let escrow = bench.base + "/escrow"
    var adding: Run?
    try hold(commands, of: tpm) {
      adding = try root(bench, "add tpm --recovery-to 3 3>\(escrow)")
    }
    adding?.child.kill()
    try bench.endEngine(by: SIGKILL)
    _ = try adding?.child.wait()
    try tpm.command("release")
    for helper in processes(in: bench.programs, named: "thumblatch-secret") {
      try waitForEnd(helper)
    }
    try tpm.command("left")

    // The next engine completes the addition while it serves calls.
    for member in members { #expect(eventually { (try? tier(member)) == "tpm" }) }
    #expect(try root(bench, "status --json").text().contains(#""tier":"tpm""#))
    #expect(eventually { (try? counter(members[0])) == "current" })
    #expect(try root(bench, "test --code-stdin <\(escrow)").text().contains("opens"))
    for member in members {
      #expect(try member.run("token", "me").succeeded().hasPrefix("at_"))
      #expect(try member.run("status").succeeded().contains("TPM (or the recovery code)"))
    }
    try machine.plug(nil, for: ServiceBench.helperUser)
    try bench.endEngine()
    for member in members { #expect(try member.run("status").end == .exited(6)) }
  }
}
