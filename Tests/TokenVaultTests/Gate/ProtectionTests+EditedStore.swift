import Configuration
import Cryptography
import Presence
import Storage
import System
import Testing

@testable import TokenVault

/// A store that was edited by hand.
extension ProtectionTests {
  /// Edits the row of `me` while no vault is open, and returns the failure of its use.
  private func edited(
    protected: Bool = true,
    _ edit: (inout AccountRow, AccountRow) throws -> Void
  ) async throws -> (VaultFailure?, Bench) {
    let bench = try Bench()
    var vault: Vault? = try await bench.open()
    if let vault {
      try await bench.signIn(vault, "me", refresh: "rt-me", lifetime: 1)
      try await bench.signIn(vault, "other", refresh: "rt-other", lifetime: 1)
      if protected {
        try await bench.protect(vault, "me")
        try await bench.protect(vault, "other")
      }
    }
    vault = nil
    bench.clock.advance(60)
    let before = try await bench.forge { store in
      var row = try #require(try store.account(named: "me", owner: ThisProcess.user))
      let other = try #require(try store.account(named: "other", owner: ThisProcess.user))
      try edit(&row, other)
      let changed = row
      try store.transaction { try store.update(changed) }
      return changed
    }
    let next = try await bench.open()
    var prompt: String?
    if before.protection == 1 {
      let need = try await need { _ = try await next.token("me") }
      try await bench.pass(need, next, caller())
      prompt = need.prompt
    }
    let failure = await failure { _ = try await next.token("me", prompt: prompt) }
    #expect(bench.exchange.refreshes.isEmpty)
    // The failure changed nothing, and the other account works.
    #expect(try await next.row("me") == before)
    #expect(try await next.row("other").sealedRefreshToken != nil)
    return (failure, bench)
  }

  private func isUnsafe(_ failure: VaultFailure?) -> Bool {
    if case .vaultUnsafe = failure { true } else { false }
  }

  @Test
  func aRowThatClaimsNoProtectionDoesNotOpen() async throws {
    let (failure, _) = try await edited { row, _ in row.protection = 0 }
    #expect(isUnsafe(failure))
  }

  @Test
  func aRowThatClaimsProtectionDoesNotOpenEither() async throws {
    let (failure, _) = try await edited(protected: false) { row, _ in row.protection = 1 }
    #expect(isUnsafe(failure))
  }

  @Test
  func aRowOfAnUnknownProtectionClassIsRefused() async throws {
    let (failure, _) = try await edited { row, _ in row.protection = 7 }
    #expect(isUnsafe(failure))
  }

  @Test(arguments: [true, false])
  func aBoxMovedToAnotherAccountDoesNotOpen(_ protected: Bool) async throws {
    let (failure, _) = try await edited(protected: protected) { row, other in
      row.sealedRefreshToken = other.sealedRefreshToken
    }
    #expect(isUnsafe(failure))
  }

  @Test(arguments: [0, 2, 1 << 40] as [Int64])
  func anotherGenerationDoesNotOpen(_ generation: Int64) async throws {
    let (failure, _) = try await edited { row, _ in row.generation = generation }
    #expect(isUnsafe(failure))
  }

  @Test
  func aBindingThatWasEditedDoesNotOpen() async throws {
    let (failure, _) = try await edited { row, _ in row.binding[5] ^= 1 }
    #expect(isUnsafe(failure))
  }

  @Test(arguments: [true, false])
  func settingsThatWereEditedGetNoToken(_ protected: Bool) async throws {
    let evil = try provider(["issuer": "https://evil.example.com"]).canonicalForm
    let (failure, bench) = try await edited(protected: protected) { row, _ in
      row.providerSettings = evil
    }
    #expect(isUnsafe(failure))
    #expect(!bench.exchange.requests.contains { $0.url.contains("evil") })
  }

  @Test
  func settingsAndBindingThatWereEditedTogetherGetNoToken() async throws {
    let evil = try provider(["issuer": "https://evil.example.com"]).canonicalForm
    let (failure, bench) = try await edited { row, _ in
      row.providerSettings = evil
      row.binding = try sha256(evil)
    }
    #expect(isUnsafe(failure))
    #expect(!bench.exchange.requests.contains { $0.url.contains("evil") })
  }

  @Test
  func aRecordWhoseProviderWasEditedCanBeErased() async throws {
    let (_, bench) = try await edited { row, _ in row.providerSettings = [1, 2, 3] }
    let vault = try await bench.open()
    let answer = try await vault.signOut(account: "me", local: false, caller: caller())
    #expect(!answer.revoked)
    #expect(try await vault.row("me").sealedRefreshToken == nil)
  }

  @Test
  func noBitOfABoxCanBeFlipped() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault, lifetime: 1)
    bench.clock.advance(60)
    let row = try await vault.row()
    let box = try #require(row.sealedRefreshToken)
    let total = box.count * 8
    // Flips one bit in each byte, at a position that moves.
    for bit in stride(from: 0, to: total, by: 9) {
      var flipped = row
      var bytes = box
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      flipped.sealedRefreshToken = bytes
      try await vault.put(flipped)
      let failure = await failure { _ = try await vault.token() }
      #expect(isUnsafe(failure), "bit \(bit)")
    }
    #expect(bench.exchange.refreshes.isEmpty)
    try await vault.put(row)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token().accessToken == "at-2")
  }

  @Test
  func aVaultOfAnotherOwnerOpensNothing() async throws {
    let bench = try Bench()
    var vault: Vault? = try await bench.open()
    if let vault { try await bench.signIn(vault, lifetime: 1) }
    vault = nil
    bench.clock.advance(60)
    try await bench.withStore { store in
      var row = try #require(try store.account(named: "me", owner: ThisProcess.user))
      row.owner = 4711
      try store.transaction { try store.update(row) }
    }
    let next = try await bench.open(owner: 4711)
    let failure = await failure { _ = try await next.token() }
    #expect(isUnsafe(failure))
  }
}
