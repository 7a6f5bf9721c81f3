import Configuration
import Presence
import Storage
import System
import Testing

@testable import TokenVault

/// An account whose provider file the administrator changes, and one that a user changes.
@Suite(.timeLimit(.minutes(10)))
struct MachineProviderTests {
  private let bench: Bench
  private let administrator = Administrator()

  init() throws { bench = try Bench() }

  private func open() async throws -> Vault { try await bench.open(rules: administrator) }

  @Test
  func aListingOfThePolicyReadsTheFilesOnce() async throws {
    let vault = try await open()
    let before = administrator.readings
    #expect(try await vault.policyFacts().rules.count == Policy.Key.allCases.count)
    #expect(administrator.readings == before + 1)
  }
}
