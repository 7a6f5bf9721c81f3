import System
import TestSupport
import Testing

/// A person moves accounts of the service into the own vault.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ServiceExportStoryTests {
  private func export(
    _ person: Customer,
    _ names: String...,
    exit status: Int32 = 0
  ) throws -> String {
    let terminal = try person.terminal(list: ["service", "export"] + names)
    try terminal.expect("into your private vault")
    try terminal.expect("System password for")
    try terminal.enter(person.systemPassword)
    return try terminal.end(status)
  }

  @Test
  func theAccountsWorkInTheOwnVaultAndAreGoneFromTheService() throws {
    let bench = try ServiceBench()
    let backend = try DevBackend()
    let person = try Customer(bench, backend: backend)
    try person.makeExportable("me")
    try person.register("inside")
    let old = try person.run("token", "me").succeeded()
    let kept = try person.run("service", "export", "inside")
    #expect(kept.end == .exited(11) && kept.text.contains("it is not exportable"))
    #expect(try person.run("service", "export", "--no-input").end == .exited(7))

    let shown = try export(person)
    #expect(shown.contains("moved 1 account into your own vault"))
    #expect(shown.contains("inside stays in the service: it is not exportable"))
    #expect(!shown.contains("was not refreshed"))
    let fresh = try person.run("token", "me", "--private").succeeded()
    #expect(fresh.hasPrefix("at_") && fresh != old)
    #expect(try person.run("token", "me").end == .exited(9))
    #expect(try person.run("token", "inside").succeeded().hasPrefix("at_"))
    for words in [["audit"], ["audit", "--private"]] {
      #expect(try person.run(words).succeeded().contains("account-moved"))
    }
    for words in [["audit", "verify"], ["audit", "verify", "--private"]] {
      #expect(try person.run(words).succeeded().contains("intact"))
    }
    // And back again.
    let terminal = try person.terminal("service", "import")
    try terminal.expect("System password for")
    try terminal.enter(person.systemPassword)
    #expect(try terminal.end().contains("moved 1 account into the service"))
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
  }

  @Test
  func aNameThatTheOwnVaultHasIsRefusedWithoutACheck() throws {
    let bench = try ServiceBench()
    let backend = try DevBackend()
    let person = try Customer(bench, backend: backend)
    try person.makeExportable("me")
    try person.run(
      "register",
      "me",
      "--private",
      "--provider",
      "dev",
      "--email",
      "other@example.org",
      "--password-stdin",
      input: "backend-password\n"
    ).succeeded()
    let refused = try person.run("service", "export", "--json")
    #expect(refused.end == .exited(11))
    #expect(refused.text.contains("your private vault has these accounts already: me"))
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
  }
}
