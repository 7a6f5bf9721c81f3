import Presence
import Storage
import System
import Testing

@testable import TokenVault

extension Bench {
  /// A protected account whose access token has expired, and one enrolled finger.
  func expired() async throws -> Vault {
    let vault = try await open()
    try await signIn(vault)
    try await protect(vault)
    try await enroll(vault)
    clock.advance(3600)
    return vault
  }

  /// Removes a finger, with the password.
  func delete(_ vault: Vault, _ finger: String) async throws {
    let need = try await need {
      _ = try await vault.delete(finger: finger, prompt: nil, caller: caller())
    }
    try await pass(need, vault, caller())
    _ = try await vault.delete(finger: finger, prompt: need.prompt, caller: caller())
  }

  /// Changes a byte of the sealed print of a finger, so that its box does not open; no vault may be open.
  func damagePrint(of finger: String) async throws {
    try await withStore { store in
      var row = try #require(
        try store.prints(owner: ThisProcess.user).first { $0.finger == finger }
      )
      row.sealed[40] ^= 1
      let damaged = row
      try store.transaction {
        try store.deletePrint(id: damaged.id)
        try store.insert(damaged)
      }
    }
  }

  /// Asks for a token, which opens a prompt, and gives that up again.
  func glance(_ vault: Vault) async throws -> PresenceNeed {
    let need = try await need { _ = try await vault.token(caller: caller(77)) }
    await vault.disconnect(77)
    return need
  }

  /// Passes a prompt's check by password, as someone who was asked why.
  func confirm(_ vault: Vault) async throws {
    let need = try await need { _ = try await vault.testPresence(prompt: nil, caller: caller(78)) }
    try await pass(need, vault, caller(78))
    _ = try await vault.testPresence(prompt: need.prompt, caller: caller(78))
  }
}

/// What the desktop's settings have enrolled, seen by its prints.
func desktop(_ fingers: [(String, UInt8)]) -> DesktopFingers {
  DesktopFingers(
    source: .prints,
    fingers: fingers.map { name, byte in
      DesktopFinger(name: name, digest: [UInt8](repeating: byte, count: 32))
    }
  )
}

/// What the desktop's settings have enrolled, seen by name.
func desktop(names: String...) -> DesktopFingers {
  DesktopFingers(source: .names, fingers: names.map { DesktopFinger(name: $0, digest: nil) })
}
