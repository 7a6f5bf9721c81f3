import Cryptography
import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

extension Bench {
  /// Replaces the device secret, with the password.
  @discardableResult
  func rekey(_ vault: Vault) async throws -> RekeyFacts {
    let need = try await need { _ = try await vault.rekey(prompt: nil, caller: caller()) }
    #expect(need.purpose == .rekey && need.methods == [.password])
    try await pass(need, vault, caller())
    return try await vault.rekey(prompt: need.prompt, caller: caller())
  }

  /// Accepts a store that was restored, with the password.
  @discardableResult
  func accept(_ vault: Vault) async throws -> [String] {
    let need = try await need { _ = try await vault.acceptStore(prompt: nil, caller: caller()) }
    #expect(need.purpose == .recover && need.methods == [.password])
    try await pass(need, vault, caller())
    return try await vault.acceptStore(prompt: need.prompt, caller: caller())
  }

  /// Signs in to an exportable account.
  func signInExportable(
    _ vault: Vault,
    _ name: String = "me",
    refresh: String = "rt-1",
    settings: [String: String] = [:]
  ) async throws -> AccountFacts {
    func login(_ prompt: String?) async throws -> AccountFacts {
      try await vault.signIn(
        account: name,
        provider: try provider(settings),
        email: "me@example.org",
        password: shared("hunter2"),
        registering: false,
        displayName: nil,
        exportable: true,
        prompt: prompt,
        caller: caller()
      )
    }
    let need = try await need { _ = try await login(nil) }
    #expect(need.purpose == .exportable && need.methods == [.password])
    try await pass(need, vault, caller())
    exchange.plan(.tokens(access: "at-1", refresh: refresh, lifetime: 3600))
    return try await login(need.prompt)
  }

  /// Makes a vault with a protected and an unprotected account, a finger and an audit log, and
  /// closes it.
  func makeVault() async throws {
    var vault: Vault? = try await open()
    if let vault {
      try await signIn(vault, "me", refresh: "rt-1")
      try await signIn(vault, "work", refresh: "rt-work")
      try await protect(vault, "work")
      try await enroll(vault)
    }
    vault = nil
  }

  /// The sealed bytes of the store's tokens and prints, and the device secret.
  func sealedBytes() async throws -> [[UInt8]] {
    let boxes = try await withStore { store in
      let accounts = try store.allAccounts()
      return accounts.compactMap(\.sealedRefreshToken) + accounts.compactMap(\.sealedClientSecret)
        + (try store.allPrints().map(\.sealed))
    }
    let secret = try #require(try scratch.files()["device-secret"])
    return boxes + [secret]
  }

  /// The files of the state directory that contain any of these.
  func filesHolding(_ needles: [[UInt8]]) throws -> [String] {
    try scratch.files().filter { file in needles.contains { holds(file.value, $0) } }.map(\.key)
      .sorted()
  }
}

extension Vault {
  /// The refresh token of an account, as a refresh sends it.
  func sentToken(_ name: String, _ bench: Bench) async throws -> String {
    bench.clock.advance(7200)
    try await bench.unlock(self)
    bench.exchange.plan(.nothingSent)
    _ = try? await token(name)
    return try #require(bench.exchange.refreshes.last)
  }
}
