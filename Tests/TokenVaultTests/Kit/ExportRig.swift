import Configuration
import PresenceTerms
import Testing

@testable import TokenVault

/// A vault of the service with two exportable accounts, and the private vault of the same user.
struct ExportRig {
  let service: Bench
  let person: Bench
  let administrator = Administrator()
  let vault: Vault
  let own: Vault
  let link: LinkedService

  init(watch: @escaping @Sendable (LinkedService.Step, Bench) -> Void = { _, _ in }) async throws {
    service = try Bench()
    let person = try Bench()
    self.person = person
    vault = try await service.open(rules: administrator)
    link = LinkedService(vault) { step in watch(step, person) }
    own = try await person.open(service: link)
    for name in ["me", "work"] {
      _ = try await service.signInExportable(vault, name, refresh: "rt-\(name)")
    }
  }

  /// The prompt that an export of these accounts needs.
  func need(
    _ names: [String],
    _ commitment: [UInt8] = [UInt8](repeating: 5, count: 32)
  ) async throws -> PresenceNeed {
    try await TokenVaultTests.need {
      try await vault.allowExport(names, commitment: commitment, prompt: nil, caller: caller())
    }
  }

  /// Passes the check of an export.
  func allow(_ names: [String], _ commitment: [UInt8]) async throws {
    let need = try await need(names, commitment)
    try await service.pass(need, vault, caller())
    try await vault.allowExport(
      names,
      commitment: commitment,
      prompt: need.prompt,
      caller: caller()
    )
  }

  func fetch() async throws -> [MovedAccount] {
    try await own.exportFromService(socket: nil, caller: caller())
  }

  /// The whole export, as the command makes it.
  func export(_ names: [String] = ["me", "work"]) async throws -> [MovedAccount] {
    try await allow(names, try await own.prepareExport(names, caller: caller()))
    return try await fetch()
  }

  /// Records of moves of two accounts.
  func moves(_ outcomes: String...) -> [String] {
    outcomes.flatMap { ["account-moved \($0)", "account-moved \($0)"] }
  }

  func isRefused(_ body: () async throws -> Void) async -> Bool {
    guard case .refused? = await failure(body) else { return false }
    return true
  }

  /// Whether the service uses none of the two accounts, and says what to do.
  func isOpen() async throws -> Bool { try await Self.isOpen(vault, service) }

  static func isOpen(_ vault: Vault, _ bench: Bench) async throws -> Bool {
    bench.clock.advance(7200)
    let calls: [VaultFailure?] = [
      await failure { _ = try await vault.token("me") },
      await failure { _ = try await vault.rename(account: "me", to: "x", caller: caller()) },
      await failure { _ = try await vault.signOut(account: "me", local: true, caller: caller()) },
      await failure { try await bench.signIn(vault, "me", refresh: "rt-new") },
    ]
    let facts = try await vault.accountFacts(named: "me")[0]
    let finding = await vault.examine().first { $0.name == "transfer" }
    return facts.cause?.contains("thumblatch service export --cancel") == true
      && facts.state == .uncertain && finding?.level == .problem
      && calls.allSatisfy {
        guard case .vaultUnsafe? = $0 else { return false }
        return true
      }
  }
}
