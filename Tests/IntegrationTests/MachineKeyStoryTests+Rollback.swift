import Glibc
import JSON
import System
import TestSupport
import Testing

/// The counter of the TPM.
extension MachineKeyStoryTests {
  private func counter(_ person: Someone) throws -> String? {
    let text = try person.run("device-secret", "status", "--json").succeeded()
    guard case .object(let object) = try JSONReader.read(Array(text.utf8)) else { return nil }
    return try object.string("counter")
  }

  @Test
  func anOldCopyOfTheWholeDirectoryIsRefusedUntilItIsAccepted() throws {
    let person = try person(try SoftwareTPM())
    try addTPM(person)
    #expect(try counter(person) == "current")
    try person.endEngine()
    try shell("cp -a \(person.state) \(person.base)/copy")
    try person.expireTokens()
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
    try person.endEngine()

    try shell("rm -r \(person.state) && cp -a \(person.base)/copy \(person.state)")
    try person.expireTokens()
    let refused = try person.run("token", "me")
    #expect(refused.end == .exited(6), "\(refused.text)")
    #expect(refused.text.contains("was restored from an old copy"))
    #expect(refused.text.contains("thumblatch recover"))
    let status = try person.run("status")
    #expect(status.text.contains("was restored from an old copy"), "\(status.text)")
    #expect(try counter(person) == "refused")
    // The next engine finds the same.
    try person.endEngine()
    #expect(try person.run("token", "me").end == .exited(6))

    let shown = try person.allowed("accept a vault that was restored from a backup", ["recover"])
    #expect(shown.contains("accounts to sign in again: me"))
    #expect(try counter(person) == "current")
    #expect(try person.run("token", "me", "--no-input").end == .exited(4))
    try person.endEngine()
    #expect(try person.run("status").succeeded().contains("none: the directory matches"))
    // The copy stays an old one.
    try person.endEngine()
    try shell("rm -r \(person.state) && cp -a \(person.base)/copy \(person.state)")
    #expect(try person.run("whoami", "me").end == .exited(6))
  }

  @Test
  func aKilledEngineIsNoAlarm() throws {
    let tpm = try SoftwareTPM()
    let person = try person(tpm)
    try addTPM(person)
    for _ in 0..<100 {
      try person.killEngine()
      // Its helper may still talk to the TPM, and leave before it has read the answer. A terminal cannot
      // keep two conversations apart, as /dev/tpmrm0 does.
      for helper in processes(in: person.programs) { try waitForEnd(helper) }
      try tpm.command("left")
      try person.expireTokens()
      #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
    }
    try person.endEngine()
    #expect(try counter(person) == "current")
    #expect(try person.run("status").succeeded().contains("none: the directory matches"))
  }

  @Test
  func aTPMWithoutRoomIsAddedAndGetsItsCounterLater() throws {
    let tpm = try SoftwareTPM()
    let person = try person(tpm)
    // TPM_RC_NV_SPACE for the next TPM2_NV_DefineSpace.
    try tpm.command("fail 14b 1 12a")
    try addTPM(person)
    #expect(try counter(person) == "none")
    let status = try person.run("device-secret", "status").succeeded()
    #expect(status.contains("cannot be detected: the directory has no TPM counter"))
    #expect(status.contains("the TPM has no room for a counter"))
    try person.endEngine()
    try person.expireTokens()
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))

    let shown = try person.allowed(
      "change the slots of the machine key (add tpm)",
      ["device-secret", "add", "tpm"]
    )
    #expect(shown.contains("added the TPM of this machine"))
    #expect(try counter(person) == "current")
    try person.endEngine()
    #expect(try counter(person) == "current")
  }
}
