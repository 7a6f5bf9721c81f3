import JSON
import System
import TestSupport
import Testing

/// The recovery code is replaced by the commands.
extension MachineKeyStoryTests {
  /// The identifiers of the slots of recovery codes.
  private func recoverySlots(_ person: Person) throws -> [String] {
    let status = try object(try person.run("device-secret", "status", "--json").succeeded())
    return try status.array("slots").compactMap { slot -> String? in
      guard case .object(let slot) = slot, try slot.string("kind") == "recovery" else { return nil }
      return try slot.string("id")
    }
  }

  /// Adds another recovery code at a terminal, and returns it.
  private func addRecovery(_ person: Person) throws -> String {
    let terminal = try person.terminal("device-secret", "add", "recovery", columns: 200)
    try terminal.expect("to change the slots of the machine key (add recovery)")
    try terminal.expect("System password for")
    try terminal.enter(Person.systemPassword)
    try terminal.expect("shown only now:")
    let code = try terminal.expect("Write it down").filter { !$0.isWhitespace }
    try terminal.expect("The recovery code again: ")
    try terminal.enter(code)
    try terminal.expect("Added a recovery code")
    try terminal.end()
    return code
  }

  /// The output of `device-secret test` about a code.
  private func test(_ code: String, _ person: Person) throws -> Someone.Outcome {
    try person.run("device-secret", "test", "--code-stdin", input: code + "\n")
  }

  @Test
  func anotherRecoveryCodeTakesTheOldOnesPlace() throws {
    let person = try person(try SoftwareTPM())
    let old = try addTPM(person)
    let slot = try #require(try recoverySlots(person).first)
    let new = try addRecovery(person)
    #expect(new != old)
    #expect(try recoverySlots(person).count == 2)
    for code in [old, new] { try test(code, person).succeeded() }

    let remove = try person.terminal("device-secret", "remove", slot, columns: 200)
    try remove.expect("to change the slots of the machine key (remove \(slot))")
    try remove.expect("System password for")
    try remove.enter(Person.systemPassword)
    try remove.expect("Removed slot \(slot)")
    try remove.end()
    let left = try recoverySlots(person)
    #expect(left.count == 1 && left.first != slot)
    #expect(try test(old, person).end == .exited(6))
    try test(new, person).succeeded()

    try plug(nil, person)
    try person.expireTokens()
    let refused = try person.run("recover", "--code-stdin", input: old + "\n")
    #expect(refused.end == .exited(2) && refused.text.contains("this code opens no slot"))
    #expect(try person.run("token", "me").end == .exited(6))
    let opened = try person.run("recover", "--code-stdin", input: new + "\n").succeeded()
    #expect(opened.contains("the machine key is open"))
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
  }
}
