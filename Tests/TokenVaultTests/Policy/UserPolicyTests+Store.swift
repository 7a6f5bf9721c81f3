import Configuration
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// The rules in the store.
extension UserPolicyTests {
  @Test
  func theRulesStayOverRestartsRekeyAndRecovery() async throws {
    var vault: Vault? = try await bench.open()
    if let vault {
      try await bench.signIn(vault)
      try await bench.setRule(vault, "window", "5")
    }
    vault = nil
    vault = try await bench.open()
    if let vault {
      #expect(try await bench.unlock(vault).unlockedFor == 300)
      try await bench.rekey(vault)
      #expect(try await bench.unlock(vault).unlockedFor == 300)
    }
    vault = nil
    vault = try await bench.open()
    if let vault {
      #expect(try await bench.unlock(vault).unlockedFor == 300)
      try await bench.accept(vault)
      #expect(try await bench.unlock(vault).unlockedFor == 300)
    }
    vault = nil
    #expect(try await bench.unlock(try await bench.open()).unlockedFor == 300)
  }

  @Test(arguments: ["taken away", "loosened", "earlier"])
  func rulesThatAreChangedInTheStoreAreNotTaken(_ how: String) async throws {
    var vault: Vault? = try await bench.open()
    if let vault { try await bench.setRule(vault, "window-limit", "11") }
    vault = nil
    let before = try bench.snapshot()
    vault = try await bench.open()
    if let vault { try await bench.setRule(vault, "window", "5") }
    vault = nil
    switch how {
    case "earlier":
      try run("/bin/cp", [before.scratch.path + "/vault.db", bench.scratch.path + "/vault.db"])
    default:
      try await bench.withStore { store in
        let text = "[Policy]\nwindow = 6\nwindow-limit = 11\n"
        try store.setMeta(Vault.ownRulesKey, to: how == "loosened" ? Array(text.utf8) : nil)
      }
    }
    let changed = try await bench.open()
    #expect(await isUnsafe { _ = try await changed.demandCurrentStore() })
    #expect(
      await isUnsafe {
        _ = try await changed.setRule("window", to: nil, prompt: nil, caller: caller())
      }
    )
  }

  @Test
  func unreadableRulesAreNoRules() async throws {
    var vault: Vault? = try await bench.open()
    if let vault { try await bench.setRule(vault, "window", "5") }
    vault = nil
    let future = Array("[Policy]\nwindow = 5\nnight = deny\n".utf8)
    // Rules of a newer program are not ignored.
    try await bench.forge { try $0.setMeta(Vault.ownRulesKey, to: future) }
    vault = try await bench.open()
    if let vault {
      #expect(await isUnsafe { _ = try await bench.unlock(vault) })
      #expect(await isUnsafe { _ = try await vault.policyFacts() })
      #expect(
        await isUnsafe {
          _ = try await vault.setRule("window", to: "1", prompt: nil, caller: caller())
        }
      )
    }
    vault = nil
    // Rules written by an attacker do not prevent accepting the store without them.
    try await bench.withStore { try $0.setMeta(Vault.ownRulesKey, to: [0xFF]) }
    vault = try await bench.open()
    if let vault {
      try await bench.accept(vault)
      #expect(try await bench.unlock(vault).unlockedFor == 600)
    }
    vault = nil
    #expect(try await bench.unlock(try await bench.open()).unlockedFor == 600)
  }
}
