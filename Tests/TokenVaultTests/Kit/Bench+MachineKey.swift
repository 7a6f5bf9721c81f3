import MachineKey
import ScriptedTPM
import SecretMemory
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

extension Bench {
  /// The code of each test's recovery slot.
  static func code() throws -> RecoveryCode {
    let text = "000G-40R4-0M30-E209-185G-R38E-1W81-24GK-B9"
    return try RecoveryCode.typed(SecretBytes(copying: Array(text.utf8)))
  }

  /// The slots of this vault's machine key, in an engine that has just started.
  func slots(
    _ tpm: any TPMSealing,
    keys: any SecurityKeySealing = NoSecurityKeys()
  ) throws -> MachineKeySlots {
    let clock = clock
    return MachineKeySlots(
      try MachineKeyDirectory(in: try Directory.make(path: scratch.path)),
      owner: .user(ThisProcess.user),
      tpm: tpm,
      keys: keys,
      now: { clock.boot },
      beside: { work in work() }
    )
  }

  /// Opens the vault with a TPM, as an engine that has just started.
  func open(with tpm: any TPMSealing) async throws -> Vault {
    try await open(slots: try slots(tpm))
  }

  /// Makes the machine key and brings the vault under it, in the steps of `add tpm`.
  ///
  /// The vaults of the others are left.
  func addTPM(_ tpm: any TPMSealing, leaving others: UInt32...) async throws {
    let slots = try slots(tpm)
    let vault = try await open(slots: slots)
    if try slots.key() == nil { try slots.make(recovery: try Self.code()) }
    try slots.list(others + [ThisProcess.user])
    #expect(try await vault.adoptMachineKey(caller: caller()))
    #expect(slots.usersLeft == others)
  }

  /// Why the vault does not open; `nil` if it does.
  func refusal(with tpm: any TPMSealing) async throws -> VaultFailure? {
    do {
      _ = try await open(with: tpm)
      return nil
    } catch let failure as VaultFailure {
      return failure
    }
  }

  /// Puts files of another state of this vault in the place of the present ones.
  func put(_ names: [String], from other: Bench) throws {
    for name in names {
      try run("/bin/rm", ["-rf", scratch.path + "/" + name])
      guard try other.scratch.files().keys.contains(where: { $0.hasPrefix(name) }) else { continue }
      try run("/bin/cp", ["-a", other.scratch.path + "/" + name, scratch.path + "/" + name])
    }
  }
}
