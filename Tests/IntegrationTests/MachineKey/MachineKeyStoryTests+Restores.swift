import JSON
import System
import TestSupport
import Testing

/// Which restored copies the engine refuses: rows of the table in Integrity.md.
extension MachineKeyStoryTests {
  /// Copies the directory of a vault, and returns the copy.
  private func copy(_ person: Person, _ name: String) throws -> String {
    let copy = person.base + "/" + name
    try shell("rm -rf \(copy); cp -a \(person.state) \(copy)")
    return copy
  }

  /// Why the engine refuses the vault after a change of its directory, which is then taken back;
  /// `nil` if it does not.
  private func problem(_ person: Person, after change: String) throws -> String? {
    try person.endEngine()
    let present = try copy(person, "present")
    try shell("cd \(person.state); \(change)")
    let status = try object(try person.run("status", "--json").text)
    try person.endEngine()
    try shell("rm -r \(person.state); mv \(present) \(person.state)")
    return try status.optionalString("problem")
  }

  /// Puts the copy of the vault in the place of the present one; the machine key stays.
  private func restored(_ copy: String) -> String {
    """
    find . -mindepth 1 -maxdepth 1 ! -name machine-key -exec rm -r {} +
    cd \(copy); find . -mindepth 1 -maxdepth 1 ! -name machine-key -exec cp -a {} "$OLDPWD" ';'
    """
  }

  @Test(arguments: [true, false])
  func eachCopyIsRefusedAsTheTableSays(_ hasCounter: Bool) throws {
    let tpm = try SoftwareTPM()
    let person = try person(tpm)
    let file = try copy(person, "file")
    if !hasCounter { try tpm.command("fail 14b 1 12a") }
    let code = try addTPM(person)
    try person.endEngine()
    let old = try copy(person, "old")
    try person.expireTokens()
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))

    let store = "rm -f vault.db*; cp -a \(old)/vault.db* ."
    let whole = "find . -mindepth 1 -delete; cp -a"
    for (change, found) in [
      (store, "the store is older than its rollback counter"),
      (restored(old), hasCounter ? "the ledger of the TPM's counter has a higher count" : nil),
      ("\(whole) \(old)/. .", hasCounter ? "the TPM's counter has gone on since" : nil),
      (restored(file), "the store is older than the machine key"),
      ("\(whole) \(file)/. .", nil),
      ("rm -f machine-key/ledger", hasCounter ? "the ledger of the TPM's counter is missing" : nil),
      ("", nil),
    ] as [(String, String?)] {
      let problem = try problem(person, after: change)
      if let found {
        #expect(problem?.contains(found) == true, "\(change): \(problem ?? "no problem")")
      } else {
        #expect(problem == nil, "\(change)")
      }
    }

    // On another machine, with the recovery code.
    try plug(try SoftwareTPM(), person)
    try shell("rm -r \(person.state); cp -a \(old) \(person.state)")
    try person.run("recover", "--code-stdin", input: code + "\n").succeeded()
    for _ in 0..<2 {
      #expect(try person.run("status").succeeded().contains("none: the directory matches"))
      try person.endEngine()
    }
  }

  /// A copy from after the last increment is the newest one for the TPM, if the engine is killed.
  @Test
  func aCopyOfTheSameHourIsNotRefusedAfterAKill() throws {
    let tpm = try SoftwareTPM()
    let person = try person(tpm)
    try addTPM(person)
    try person.expireTokens()
    let counted = try tpm.count(of: 0x134)
    let token = try person.run("token", "me").succeeded()
    #expect(try eventually { try tpm.count(of: 0x134) == counted + 1 })
    // The answer to this call comes after the end of the TPM's conversation.
    #expect(try person.run("device-secret", "test").succeeded().contains("opens"))
    let same = try copy(person, "same")
    #expect(try person.run("token", "me", "--rejected", input: token).succeeded() != token)
    try person.killEngine()
    try shell("rm -r \(person.state); cp -a \(same) \(person.state)")
    #expect(try person.run("status").succeeded().contains("none: the directory matches"))
  }
}
