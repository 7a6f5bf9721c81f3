import MachineKey
import ScriptedTPM
import SecretMemory
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// A vault under the machine key: no copy of its directory opens without the TPM or the code.
@Suite(.timeLimit(.minutes(10)))
struct MachineKeyTests {
  private let tpm = ScriptedTPM()

  private func bench() async throws -> Bench {
    let bench = try Bench()
    try await bench.makeVault()
    return bench
  }

  @Test
  func aVaultIsBroughtUnderTheMachineKeyAndNothingIsLeftOfTheOldRoot() async throws {
    let bench = try await bench()
    let old = try await bench.sealedBytes()
    try await bench.addTPM(tpm)
    #expect(try bench.filesHolding(old) == [])
    let vault = try await bench.open(with: tpm)
    #expect(await vault.freshness == .current)
    #expect(try await vault.sentToken("me", bench).contains("rt-1"))
    #expect(try await vault.sentToken("work", bench).contains("rt-work"))
    #expect(try await vault.fingerEligibility(for: caller()).prints.count == 1)
    #expect(try await vault.verifyAuditLog().isWhole)
    #expect(try await vault.events().contains("rekey done"))
  }

  @Test
  func aCopyOfTheDirectoryDoesNotOpenWithoutTheTPM() async throws {
    let bench = try await bench()
    try await bench.addTPM(tpm)
    let before = try bench.scratch.files()
    for other in [NoTPM() as any TPMSealing, ScriptedTPM(seed: 2)] {
      guard case .vaultUnsafe? = try await bench.refusal(with: other) else {
        Issue.record("the copy opens")
        continue
      }
    }
    // No file opens it without its machine key.
    try run("/bin/mv", [bench.scratch.path + "/machine-key", bench.scratch.base + "/away"])
    guard case .vaultUnsafe? = try await bench.refusal(with: tpm) else {
      Issue.record("the file opens the vault")
      return
    }
    try run("/bin/mv", [bench.scratch.base + "/away", bench.scratch.path + "/machine-key"])
    #expect(try bench.scratch.files() == before)
    #expect(try await bench.refusal(with: tpm) == nil)
  }

  /// The gate seals tokens again without a proof only if that brings them under the machine key.
  @Test
  func everyOtherRekeyNeedsAProof() async throws {
    let bench = try await bench()
    var vault: Vault? = try await bench.open(with: tpm)
    for _ in 0..<2 {
      if let vault {
        let failure = await failure { _ = try await vault.rekey(.underMachineKey, caller()) }
        guard case .presenceFailed? = failure else {
          Issue.record("\(String(describing: failure))")
          return
        }
        #expect(try bench.scratch.files()["device-secret.next"] == nil)
        #expect(try await vault.sentToken("work", bench).contains("rt-work"))
      }
      vault = nil
      if try bench.slots(tpm).key() == nil { try await bench.addTPM(tpm) }
      vault = try await bench.open(with: tpm)
    }
  }

  @Test
  func aNewVaultIsUnderTheMachineKeyFromItsStart() async throws {
    let bench = try Bench()
    try bench.slots(tpm).make(recovery: try Bench.code())
    try bench.slots(tpm).key().map { _ in }
    var vault: Vault? = try await bench.open(with: tpm)
    if let vault {
      #expect(await vault.storeState.isUnderMachineKey)
      #expect(try await !vault.adoptMachineKey(caller: caller()))
      try await bench.signIn(vault)
      // A rekey replaces the file's part, and needs the TPM no second time.
      let opened = tpm.opened
      try await bench.rekey(vault)
      #expect(tpm.opened == opened)
    }
    vault = nil
    #expect(try await bench.refusal(with: NoTPM()) != nil)
    let next = try await bench.open(with: tpm)
    #expect(try await next.sentToken("me", bench).contains("rt-1"))
  }

  @Test
  func aVaultThatCannotBeOpenedIsNotMadeInTheFileTier() async throws {
    let bench = try Bench()
    try bench.slots(tpm).make(recovery: try Bench.code())
    tpm.fail(.absent)
    #expect(try await bench.refusal(with: tpm) != nil)
    #expect(try bench.scratch.files()["device-secret"] == nil)
  }

  @Test
  func anOldCopyThatOpensByItsFileIsRefusedOnceTheAdditionIsComplete() async throws {
    let bench = try await bench()
    let before = try bench.snapshot()
    try await bench.addTPM(tpm)
    let names = ["vault.db", "vault.db-wal", "device-secret", "rollback-counter", "slots"]
    try bench.put(names, from: before)
    let files = try bench.scratch.files()
    var vault: Vault? = try await bench.open(with: tpm)
    if let vault {
      #expect(await vault.freshness == .beforeMachineKey)
      guard case .vaultUnsafe? = await failure({ _ = try await vault.token("me") }) else {
        Issue.record("an old copy is used")
        return
      }
    }
    vault = nil
    #expect(try bench.scratch.files()["device-secret"] == files["device-secret"])
    // The person may accept it; it is under the machine key then.
    vault = try await bench.open(with: tpm)
    if let vault {
      #expect(try await bench.accept(vault).sorted() == ["me", "work"])
      #expect(await vault.storeState.isUnderMachineKey)
    }
    vault = nil
    #expect(await (try bench.open(with: tpm)).freshness == .current)
    #expect(try await bench.refusal(with: NoTPM()) != nil)
  }

  @Test
  func anAcceptedCopyIsNotUsedUntilItIsUnderTheMachineKey() async throws {
    let bench = try await bench()
    let before = try bench.snapshot()
    try await bench.addTPM(tpm)
    let names = ["vault.db", "vault.db-wal", "device-secret", "rollback-counter", "slots"]
    try bench.put(names, from: before)
    let vault = try await bench.open(with: tpm)
    // No next device secret can be made.
    let next = bench.scratch.path + "/device-secret.next"
    try run("/bin/mkdir", [next])
    #expect(await failure { _ = try await bench.accept(vault) } != nil)
    #expect(await vault.freshness == .beforeMachineKey)
    guard case .vaultUnsafe? = await failure({ _ = try await vault.token("me") }) else {
      Issue.record("a copy that opens by its file is used")
      return
    }
    try run("/bin/rmdir", [next])
    _ = try await bench.accept(vault)
    #expect(await vault.freshness == .current)
    #expect(await vault.storeState.isUnderMachineKey)
  }

  @Test
  func aVaultThatOpensByItsFileIsTakenWhileTheMachineKeyIsBeingAdded() async throws {
    let bench = try await bench()
    try bench.slots(tpm).make(recovery: try Bench.code())
    var vault: Vault? = try await bench.open(with: tpm)
    if let vault {
      #expect(await vault.freshness == .current)
      #expect(await !vault.storeState.isUnderMachineKey)
      #expect(try await vault.sentToken("me", bench).contains("rt-1"))
      #expect(try await vault.adoptMachineKey(caller: caller()))
      #expect(try await vault.sentToken("me", bench).contains("rt-1"))
    }
    vault = nil
    #expect(await (try bench.open(with: tpm)).storeState.isUnderMachineKey)
  }

  @Test
  func anOldCopyIsRefusedOnceItsVaultIsUnderTheMachineKeyAndOthersAreNot() async throws {
    let bench = try await bench()
    let before = try bench.snapshot()
    try await bench.addTPM(tpm, leaving: 7)
    let names = ["vault.db", "vault.db-wal", "device-secret", "rollback-counter", "slots"]
    try bench.put(names, from: before)
    // The state is read again by an engine that has just started.
    let next = try bench.slots(tpm)
    #expect(await (try bench.open(slots: next)).freshness == .beforeMachineKey)
    #expect(next.isAdding && next.usersLeft == [7])
    #expect(try next.facts(of: ThisProcess.user).tier == .tpm)
    #expect(try next.facts(of: 7).tier == .adding && next.facts().tier == .adding)
  }

  @Test
  func aStateThatIsMissingOrForgedLetsNoOldCopyIn() async throws {
    let bench = try await bench()
    try bench.slots(tpm).make(recovery: try Bench.code())
    let state = bench.scratch.path + "/machine-key/state"
    let authentic = try #require(try bench.scratch.files()["machine-key/state"])
    for offset in [8, 24, 32, 40] {
      var forged = authentic
      forged[offset] ^= 3
      try Files.overwrite(forged, at: state)
      #expect(await (try bench.open(with: tpm)).freshness == .beforeMachineKey)
    }
    try Files.overwrite(authentic, at: state)
    #expect(await (try bench.open(with: tpm)).freshness == .current)
    try run("/bin/rm", [state])
    #expect(await (try bench.open(with: tpm)).freshness == .beforeMachineKey)
  }
}

enum Files {
  /// Replaces the bytes of an existing file.
  static func overwrite(_ bytes: [UInt8], at path: String) throws {
    let slash = try #require(path.lastIndex(of: "/"))
    let directory = try Directory(path: String(path[..<slash]))
    let file = try directory.openForWriting(String(path[path.index(after: slash)...]))
    try file.write(bytes, at: 0)
  }
}
