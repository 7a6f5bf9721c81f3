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

  /// Changes a byte of a finger's sealed print, so that its box does not open.
  ///
  /// No vault may be open.
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

  /// Requests a token, which opens a prompt, and cancels that prompt.
  func glance(_ vault: Vault) async throws -> PresenceNeed {
    let need = try await need { _ = try await vault.token(caller: caller(77)) }
    await vault.disconnect(77)
    return need
  }

  /// Passes a prompt's check by password, so that the current fingers are confirmed.
  func confirm(_ vault: Vault) async throws {
    let need = try await need { _ = try await vault.testPresence(prompt: nil, caller: caller(78)) }
    try await pass(need, vault, caller(78))
    _ = try await vault.testPresence(prompt: need.prompt, caller: caller(78))
  }
}

/// The fingers that the desktop's settings have enrolled, identified by prints.
func desktop(_ fingers: [(String, UInt8)]) -> DesktopFingers {
  DesktopFingers(
    source: .prints,
    fingers: fingers.map { name, byte in
      DesktopFinger(name: name, digest: [UInt8](repeating: byte, count: 32))
    }
  )
}

/// The fingers that the desktop's settings have enrolled, identified by name.
func desktop(names: String...) -> DesktopFingers {
  DesktopFingers(source: .names, fingers: names.map { DesktopFinger(name: $0, digest: nil) })
}
