import Testing

@testable import TokenVault

/// The reason that a program states.
struct StatedReasonTests {
  @Test
  func aReasonIsOneLine() throws {
    #expect(try Vault.stated("a \"b\"\n\u{202E}c") == "a 'b'\\u{A}\\u{202E}c")
    #expect(try Vault.stated("") == nil)
  }

  @Test(arguments: [
    " ", "\t\n", "\u{200B}", "\u{3164} \u{2060}", "\u{1}", "\u{E0041}", "\u{2800}", "\u{FFF9}",
  ])
  func anInvisibleReasonCountsAsMissing(_ reason: String) throws {
    #expect(try Vault.stated(reason) == nil)
    #expect(try Vault.stated(reason + "x") != nil)
  }

  /// Each call that asks a person, and not only that for a token.
  @Test
  func thePromptAndTheRecordsOfACallHaveItsReason() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    var caller = caller(1)
    caller.statedReason = "read the logs"
    let asking = caller
    func unlock(_ prompt: String?) async throws {
      _ = try await vault.unlock([], seconds: nil, prompt: prompt, caller: asking)
    }
    let need = try await need { try await unlock(nil) }
    #expect(need.statedReason == "read the logs")
    try await bench.pass(need, vault, asking)
    try await unlock(need.prompt)
    let records = try await vault.auditPage(after: 0, since: nil, account: nil)
    let quoted = "stated reason \"read the logs\""
    #expect(records.last?.detail?.hasSuffix(quoted) == true)
    let check = records.last { $0.event == "presence-check" }
    #expect(check?.detail == "unlock, \(quoted)")
  }

  @Test
  func aReasonIsShort() throws {
    for character in ["x", "🙂"] {
      let longest = String(repeating: character, count: 200)
      #expect(try Vault.stated(longest) == longest)
      #expect(throws: VaultFailure.self) { _ = try Vault.stated(longest + "x") }
    }
  }
}
