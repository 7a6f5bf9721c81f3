import System
import TestSupport
import Testing

extension MachineKeyStoryTests {
  /// A backup under the recovery code opens on a machine without this TPM.
  @Test
  func theRecoveryCodeOpensABackupOnAnotherMachine() throws {
    let person = try person(try SoftwareTPM())
    let code = try addTPM(person)
    let file = person.home + "/backup"
    let wrong = try person.run(
      "backup",
      file,
      "--code-stdin",
      input: "000G-40R4-0M30-E209-185G-R38E-1W81-24GK-B9\n"
    )
    #expect(wrong.end == .exited(2) && wrong.text.contains("opens no slot of this vault"))
    let terminal = try person.terminal("backup", file, "--code")
    try terminal.expect("Recovery code: ")
    try terminal.enter(code)
    try terminal.expect("Type the system password to back up the vault")
    try terminal.expect("System password for")
    try terminal.enter(Person.systemPassword)
    #expect(try terminal.end().contains("1 account, 0 refresh tokens"))

    try plug(nil, person)
    try shell("rm -rf \(person.state)")
    let restored = try person.run("restore", file, "--code-stdin", input: code + "\n")
    #expect(try restored.succeeded().contains("restored 1 account"))
    #expect(try tier(person) == "file")
    #expect(try person.run("account", "list").succeeded().contains("me"))
  }
}
