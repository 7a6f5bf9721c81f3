import BackupFormat
import Configuration
import PresenceTerms
import SecretMemory
import Storage
import System
import Testing

@testable import TokenVault

// The steps of a backup and of its restore.
extension BackupTests {
  static let header = BackupHeader(.passphrase(.standard), salt: [UInt8](0..<16)).encoded

  func key(_ byte: UInt8 = 7) throws -> BackupSecret {
    .key(SharedSecret(try SecretBytes(copying: [UInt8](repeating: byte, count: 32))))
  }

  /// An exportable account whose provider was seen to keep its refresh token.
  func makeSteady(_ name: String, _ vault: Vault, _ bench: Bench) async throws {
    _ = try await bench.signInExportable(vault, name, refresh: "rt-\(name)")
    bench.clock.advance(7200)
    bench.exchange.plan(.tokens(access: "at-\(name)-2", refresh: nil))
    _ = try await vault.token(name)
  }

  func backup(
    _ vault: Vault,
    _ bench: Bench,
    header: [UInt8] = header,
    _ secret: BackupSecret? = nil
  ) async throws -> [BackupPart] {
    let secret = if let secret { secret } else { try key() }
    let need = try await need {
      _ = try await vault.backup(header: header, secret, prompt: nil, caller: caller())
    }
    #expect(need.purpose == .backup && need.methods == [.password] && need.account == nil)
    try await bench.pass(need, vault, caller())
    return try await vault.backup(header: header, secret, prompt: need.prompt, caller: caller())
  }

  func restore(
    _ file: [UInt8],
    _ vault: Vault,
    _ bench: Bench,
    _ secret: BackupSecret? = nil,
    skipExisting: Bool = false
  ) async throws -> [RestoredAccount] {
    let secret = if let secret { secret } else { try key() }
    try await vault.addToBackup(file, at: 0, caller: caller())
    func restore(_ prompt: String?) async throws -> [RestoredAccount] {
      try await vault.restore(
        secret,
        skipExisting: skipExisting,
        prompt: prompt,
        caller: caller()
      )
    }
    do {
      return try await restore(nil)
    } catch VaultFailure.presenceNeeded(let need) {
      #expect(need.purpose == .restore && need.methods == [.password])
      try await bench.pass(need, vault, caller())
      return try await restore(need.prompt)
    }
  }
}
