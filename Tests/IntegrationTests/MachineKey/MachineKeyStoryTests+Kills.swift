import Glibc
import System
import TestSupport
import Testing

/// `device-secret add tpm` is killed while the TPM holds one of its commands.
///
/// Their codes are in TPM 2.0 Library, part 2, section 6.5.2.
extension MachineKeyStoryTests {
  /// TPM2_CreatePrimary, TPM2_Create, TPM2_Load and TPM2_Unseal.
  private static let ofSlot = ["131", "153", "157", "15e"]

  /// Performs an action, and waits until the TPM delays the last of these commands, which come in
  /// this order.
  func hold(_ commands: [String], of tpm: SoftwareTPM, after begin: () throws -> Void) throws {
    if let first = commands.first { try tpm.command("hold \(first)") }
    try begin()
    for next in commands.dropFirst() {
      try #require(try tpm.line() == "held")
      try tpm.command("hold \(next)")
      try tpm.command("release")
    }
    if !commands.isEmpty { try #require(try tpm.line() == "held") }
  }

  /// Waits for the helper of an engine that was killed.
  ///
  /// It may still talk to the TPM, and leave before it has read the answer. A terminal cannot keep
  /// two conversations apart, as /dev/tpmrm0 does.
  func endConversation(_ person: Person, with tpm: SoftwareTPM) throws {
    for helper in processes(in: person.programs) { try waitForEnd(helper) }
    try tpm.command("left")
  }

  /// Kills the helper for the TPM.
  func killHelper(_ person: Person) throws {
    let helpers = processes(in: person.programs, named: "thumblatch-secret")
    #expect(!helpers.isEmpty)
    for helper in helpers {
      kill(helper, SIGKILL)
      try waitForEnd(helper)
    }
  }

  /// Begins to add the TPM, until the recovery code has to be typed back.
  func beginToAddTPM(_ person: Person) throws -> (terminal: TerminalSession, code: String) {
    let terminal = try person.terminal("device-secret", "add", "tpm")
    try terminal.expect("System password for")
    try terminal.enter(Person.systemPassword)
    let shown = try terminal.expect("The recovery code again: ")
    let code = try #require(
      shown.split(whereSeparator: \.isWhitespace).first { $0.split(separator: "-").count == 9 }
    )
    return (terminal, String(code))
  }

  /// Whether the vault opens without the TPM, as before the command.
  func isAsBefore(_ person: Person) throws -> Bool {
    guard try tier(person) == "file" else { return false }
    // The engine removes the counter of an unfinished addition while it serves calls.
    let find = "find \(person.state) -name 'machine-key*'"
    guard try eventually({ try shell(find) == "" }) else { return false }
    try person.expireTokens()
    return try person.run("token", "me").succeeded().hasPrefix("at_")
  }

  @Test
  func aKillWhileTheCodeIsShownLeavesTheVaultAsItWas() throws {
    let person = try person(try SoftwareTPM())
    let (terminal, code) = try beginToAddTPM(person)
    try person.killEngine()
    try terminal.enter(code)
    _ = try terminal.end(5)
    #expect(try tier(person) == "file")
    try plug(nil, person)
    try person.expireTokens()
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
  }

  /// The directory of the machine key is made after all these commands.
  @Test
  func anEngineThatIsKilledAtAnyCommandOfTheTPMLeavesTheVaultAsItWas() throws {
    let tpm = try SoftwareTPM()
    let person = try person(tpm)
    for command in Self.ofSlot + ["12a", "134", "14e"] {
      let (terminal, code) = try beginToAddTPM(person)
      try hold([command], of: tpm) { try terminal.enter(code) }
      try person.killEngine()
      _ = try terminal.end(5)
      try tpm.command("release")
      try endConversation(person, with: tpm)
      #expect(try isAsBefore(person), "\(command)")
    }
    try addTPM(person)
    #expect(try tier(person) == "tpm")
    #expect(try counter(person) == "current")
  }

  /// The TPM has the counter, and neither the engine nor its helper has lived to the ledger.
  ///
  /// The engine may also die after the answer of its helper: `MachineKeyKillTests` has each of its
  /// calls.
  @Test
  func aCounterWhoseEngineAndHelperAreKilledIsRemovedByTheNextEngine() throws {
    let tpm = try SoftwareTPM()
    let person = try person(tpm)
    for command in ["12a", "134", "14e"] {
      let (terminal, code) = try beginToAddTPM(person)
      try hold([command], of: tpm) { try terminal.enter(code) }
      try person.killEngine()
      try killHelper(person)
      _ = try terminal.end(5)
      try tpm.command("lose")
      #expect(try tpm.command("indices") != "nothing", "\(command)")
      #expect(try isAsBefore(person), "\(command)")
      #expect(try tpm.command("indices") == "nothing", "\(command)")
    }
    try addTPM(person)
    #expect(try counter(person) == "current")
    #expect(try tpm.command("indices").split(separator: " ").count == 1)
  }

  /// Once the machine key is made, the counter gets its last authorization value
  /// (TPM2_NV_ChangeAuth).
  ///
  /// It continues after the rekey of the vault, and may delay the end of the command.
  @Test(arguments: [
    ["134", "131"], ["134", "13b"], ["134", "13b", "14e"], ["134", "13b", "131"],
    ["14e", "14e", "14e"], ["134", "134"], ["134", "134", "14e"],
  ])
  func anEngineThatIsKilledAfterTheKeyIsMadeLeavesTheVaultUnderTheTPM(_ commands: [String]) throws {
    let tpm = try SoftwareTPM()
    let person = try person(tpm)
    let (terminal, code) = try beginToAddTPM(person)
    try hold(commands, of: tpm) { try terminal.enter(code) }
    terminal.child.kill()
    try person.killEngine()
    _ = try terminal.child.wait()
    try tpm.command("release")
    try endConversation(person, with: tpm)
    try person.expireTokens()
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
    // The next engine completes the addition while it serves calls.
    #expect(eventually { (try? tier(person)) == "tpm" })
    #expect(try counter(person) == "current")
    try plug(nil, person)
    try person.expireTokens()
    #expect(try person.run("token", "me").end == .exited(6))
  }

  @Test
  func aHelperThatIsKilledWithTheSlotLeavesTheVaultAsItWas() throws {
    let tpm = try SoftwareTPM()
    let person = try person(tpm)
    for command in Self.ofSlot {
      let (terminal, code) = try beginToAddTPM(person)
      try hold([command], of: tpm) { try terminal.enter(code) }
      try killHelper(person)
      try tpm.command("lose")
      #expect(try terminal.end(5).contains("cannot reach the helper for the TPM"))
      #expect(try isAsBefore(person), "\(command)")
    }
  }

  /// TPM2_NV_DefineSpace, TPM2_NV_Increment and TPM2_NV_Read.
  @Test(arguments: ["12a", "134", "14e"])
  func aHelperThatIsKilledWithTheCounterLeavesTheSlot(_ command: String) throws {
    let tpm = try SoftwareTPM()
    let person = try person(tpm)
    let (terminal, code) = try beginToAddTPM(person)
    try hold([command], of: tpm) { try terminal.enter(code) }
    try killHelper(person)
    try tpm.command("lose")
    #expect(try terminal.end().contains("re-encrypted 1 vault"))
    #expect(try tier(person) == "tpm")
    #expect(try counter(person) == "none")
    // The next definition first removes the counter that the helper may have left.
    try person.allowed(
      "change the slots of the machine key (add tpm)",
      ["device-secret", "add", "tpm"]
    )
    #expect(try counter(person) == "current")
    #expect(try tpm.command("indices").split(separator: " ").count == 1)
  }
}
