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
  private let moved = ["login_path": "/new/login"]

  init() throws { bench = try Bench() }

  private func open() async throws -> Vault { try await bench.open(rules: administrator) }

  @Test
  func aLoginUnderAChangedFileOfTheMachineNamesTheWayToTheNewOne() async throws {
    administrator.write("[Policy]\nproviders = dev\n")
    administrator.add(try provider())
    let vault = try await open()
    try await bench.signIn(vault)
    administrator.add(try provider(moved))
    let words = await refusal {
      _ = try await vault.signIn(
        account: "me",
        provider: nil,
        email: "me@example.org",
        password: shared("hunter2"),
        registering: false,
        displayName: nil,
        caller: caller()
      )
    }
    #expect(words.contains("only with the settings of the machine's own file (providers in "))
    #expect(words.hasSuffix("me has other ones: thumblatch login me --provider dev"))
    let found = await vault.examine().filter { $0.name == "accounts" }
    #expect(found.map(\.remedy) == ["thumblatch login me --provider dev"])
    try await bench.signIn(vault, settings: moved)
  }

  @Test
  func aListingOfThePolicyReadsTheFilesOnce() async throws {
    let vault = try await open()
    let before = administrator.readings
    #expect(try await vault.policyFacts().rules.count == Policy.Key.allCases.count)
    #expect(administrator.readings == before + 1)
  }
}
