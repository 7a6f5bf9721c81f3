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

  private func apply(_ vault: Vault, _ provider: Provider, prompt: String? = nil) async throws {
    _ = try await vault.applyProvider(provider, account: "me", prompt: prompt, caller: caller())
  }

  private func refusal(_ body: () async throws -> Void) async -> String {
    guard case .refused(let words)? = await failure(body) else { return "(not refused)" }
    return words
  }

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
  func noTokenThatMustStayIsBoundToAddressesOfTheUsersOwn() async throws {
    let vault = try await open()
    try await bench.signIn(vault)
    let elsewhere = try provider(["issuer": "https://evil.example.com"])
    let asked = try await need { try await apply(vault, elsewhere) }
    try await bench.pass(asked, vault, caller())
    administrator.write("[Policy]\nexportable = never\n")
    let because = "no refresh token may leave the vault (exportable in \(Policy.file))"
    for other in [elsewhere, try provider(["refresh_path": "/other/refresh"])] {
      for prompt in [nil, asked.prompt] {
        let words = await refusal { try await apply(vault, other, prompt: prompt) }
        #expect(words.contains(because))
      }
    }
    #expect(try await vault.boundProvider(account: nil).provider.hasSameSettings(as: provider()))
    // A change that sends it nowhere else is the user's own affair.
    _ = try await need { try await apply(vault, try provider(["timeout": "20s"])) }
    // The administrator's addresses are allowed.
    administrator.add(elsewhere)
    _ = try await need { try await apply(vault, elsewhere) }
  }

  @Test
  func aListingOfThePolicyReadsTheFilesOnce() async throws {
    let vault = try await open()
    let before = administrator.readings
    #expect(try await vault.policyFacts().rules.count == Policy.Key.allCases.count)
    #expect(administrator.readings == before + 1)
  }
}
