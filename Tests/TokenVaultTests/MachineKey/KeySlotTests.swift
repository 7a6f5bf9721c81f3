import MachineKey
import PresenceTerms
import ScriptedTPM
import SecretMemory
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// The slots of security keys: how they are made, open, fail, and go.
@Suite(.timeLimit(.minutes(10)))
struct KeySlotTests {
  private let key = ScriptedKey()

  private func slots(
    _ bench: Bench,
    _ key: ScriptedKey? = nil,
    _ tpm: any TPMSealing = NoTPM()
  ) throws -> MachineKeySlots {
    try bench.slots(tpm, keys: key ?? self.key)
  }

  /// A vault under a machine key whose only hardware slot is that of the key.
  private func made(pin: String? = nil) async throws -> Bench {
    let bench = try Bench()
    try await bench.makeVault()
    let slots = try slots(bench)
    let vault = try await bench.open(slots: slots)
    let made = try slots.makeKeySecret(pin: secret(pin), SecurityKeyWait()) {}
    try slots.make(recovery: try Bench.code(), by: made)
    try slots.list([ThisProcess.user])
    #expect(try await vault.adoptMachineKey(caller: caller()))
    return bench
  }

  private func secret(_ text: String?) throws -> SharedSecret? {
    try text.map { SharedSecret(try SecretBytes(copying: Array($0.utf8))) }
  }

  private func open(_ slots: MachineKeySlots, pin: String? = nil) -> VaultFailure? {
    do throws(VaultFailure) {
      try slots.openByKey(pin: try? secret(pin), SecurityKeyWait()) {}
      return nil
    } catch {
      return error
    }
  }

  private func problem(_ slots: MachineKeySlots) -> VaultFailure? {
    do throws(VaultFailure) {
      _ = try slots.key()
      return nil
    } catch {
      return error
    }
  }

  @Test
  func oneTouchOpensTheVaultOncePerRun() async throws {
    let bench = try await made()
    let slots = try slots(bench)
    #expect(try slots.facts().tier == .securityKey)
    let files = try bench.scratch.files()
    #expect(problem(slots) == .machineKeyNeeded("the vault needs a touch of its security key"))
    await #expect(throws: VaultFailure.self) {
      try await bench.withDirectory { _ = try Opening($0, of: ThisProcess.user, slots) }
    }
    #expect(try bench.scratch.files() == files)
    let before = key.touches
    #expect(open(slots) == nil && open(slots) == nil)
    #expect(key.touches == before + 1)
    _ = try await bench.open(slots: slots)
    #expect(try slots.facts().isOpen && !slots.isHeldByCode)
  }

  /// Each fault of the key, and a word of its message.
  private static let faults: [(SecurityKeyFailure, afterTouch: Bool, says: String)] = [
    (.noLibrary, false, "install libfido2-1"), (.noKey, false, "no security key is plugged in"),
    (.anotherKey, false, "another one, or was reset"), (.severalKeys, false, "several"),
    (.noSecret, false, "hmac-secret"), (.pinBlocked, false, "accepts none any more"),
    (.pinBlockedUntilReplugged, false, "plug it in again"), (.noPIN, false, "it was reset"),
    (.alwaysVerifies, false, "alwaysUv"), (.notVerified, true, "did not recognize"),
    (.timedOut, true, "not touched in time"), (.removed, true, "was unplugged"),
    (.notPermitted, false, "may not open the security key"),
    (.unreachable("no program"), false, "no program"), (.unexpected("error 99"), true, "error 99"),
    (.pinNeeded(retries: 8), false, "wants its PIN"), (.wrongPIN(retries: 7), false, "wrong PIN"),
  ]

  @Test
  func eachFaultIsNamedAndChangesNothing() async throws {
    let bench = try await made()
    let files = try bench.scratch.files()
    let slots = try slots(bench)
    for (fault, afterTouch, says) in Self.faults {
      key.fail(fault, afterTouch: afterTouch)
      let failure = open(slots)
      #expect(failure.map { "\($0)" }?.contains(says) == true, "\(fault)")
      #expect(slots.isClosed)
    }
    key.fail(nil)
    key.forge(true)
    #expect(open(slots) == .keySlotFalse)
    #expect(try bench.scratch.files() == files)
    key.forge(false)
    #expect(open(slots) == nil)
    // A wait that was cancelled.
    let wait = SecurityKeyWait()
    wait.cancel()
    let next = try self.slots(bench)
    #expect(throws: VaultFailure.presenceFailed(.cancelled, methods: [])) {
      try next.openByKey(pin: nil, wait) {}
    }
  }

  @Test
  func aSlotThatCannotBeMadeSaysWhy() throws {
    let bench = try Bench()
    let slots = try slots(bench)
    let faults: [(SecurityKeyFailure, String)] = [
      (.noKey, "no security key is plugged in"), (.severalKeys, "leave the one to add"),
      (.noSecret, "use another one"), (.pinBlocked, "must be reset first"),
    ]
    for (fault, says) in faults {
      key.fail(fault)
      let failure = #expect(throws: VaultFailure.self) {
        _ = try slots.needsCode(toAdd: .securityKey)
      }
      #expect(failure?.problem.contains(says) == true, "\(fault)")
    }
    key.fail(nil)
    #expect(try slots.needsCode(toAdd: .securityKey))
    key.set(pin: "8261")
    #expect(throws: VaultFailure.keyPINNeeded("the security key wants its PIN", retries: 8)) {
      _ = try slots.needsCode(toAdd: .securityKey)
    }
    #expect(try slots.needsCode(toAdd: .securityKey, pin: secret("8261")))
    #expect(try slots.facts().tier == .file)
  }

  /// The secret with and without a verified person differ.
  @Test
  func thePINIsAskedForEachTimeOrNever() async throws {
    key.set(pin: "8261")
    let verified = try await made(pin: "8261")
    let slots = try slots(verified)
    #expect(open(slots) == .keyPINNeeded("the security key wants its PIN", retries: 8))
    #expect(
      open(slots, pin: "0000") == .keyPINNeeded("wrong PIN of the security key", retries: 7)
    )
    #expect(open(slots, pin: "8261") == nil)
    key.set(pin: nil)
    let plain = try await made()
    key.set(pin: "8261")
    #expect(try open(self.slots(plain)) == nil)
  }

  @Test
  func aResetKeyLeavesTheCode() async throws {
    let bench = try await made()
    key.reset()
    let slots = try slots(bench)
    guard case .vaultUnsafe(_, let hint?)? = open(slots) else {
      Issue.record("a key that was reset opens the vault")
      return
    }
    #expect(hint.text.contains("thumblatch recover --code"))
    // No slot of the TPM is added: it would open without a touch.
    let tpm = ScriptedTPM()
    let next = try self.slots(bench, nil, tpm)
    let done = try next.recover(with: try Bench.code())
    #expect(done.added == nil && done.problem?.contains("add fido2") == true)
    #expect(next.isHeldByCode)
    #expect(try !next.facts().slots.contains { $0.kind == .tpm })
    let vault = try await bench.open(slots: next)
    let found = await vault.examine().first { $0.name == "device-secret" }
    #expect(found?.level == .warning && found?.remedy?.contains("add fido2") == true)
    let made = try next.makeKeySecret(pin: nil, SecurityKeyWait()) {}
    _ = try next.addKey(made)
    #expect(try !next.isHeldByCode && open(self.slots(bench)) == nil)
  }

  @Test
  func theDoctorAsksForNoCounterOfATPMWithoutASlot() async throws {
    let bench = try await made()
    let slots = try slots(bench)
    #expect(open(slots) == nil)
    let vault = try await bench.open(slots: slots)
    #expect(await !vault.examine().contains { $0.name == "tpm-counter" })
  }

  @Test
  func theTPMComesFirstAndTheKeyOpensWithoutIt() async throws {
    let bench = try Bench()
    try await bench.makeVault()
    let tpm = ScriptedTPM()
    try await bench.addTPM(tpm)
    let both = try slots(bench, nil, tpm)
    _ = try both.key()
    _ = try both.addKey(try both.makeKeySecret(pin: nil, SecurityKeyWait()) {})
    #expect(try both.facts().tier == .tpm)
    let touches = key.touches
    #expect(try slots(bench, nil, tpm).key() != nil && key.touches == touches)
    tpm.fail(.busy)
    guard case .providerUnavailable? = try problem(slots(bench, nil, tpm)) else {
      Issue.record("a busy TPM asks for a touch")
      return
    }
    tpm.fail(nil)
    // The slot of the TPM is removed with its counter.
    let own = try #require(try both.facts().slots.first { $0.kind == .tpm })
    try both.remove(own.identifier)
    #expect(try both.facts().tier == .securityKey && !both.hasCounter)
    let next = try slots(bench)
    #expect(problem(next) == .machineKeyNeeded("the vault needs a touch of its security key"))
    #expect(open(next) == nil)
    _ = try await bench.open(slots: next)
  }

  @Test
  func aTPMThatIsGoneOrFailsNamesTheKey() async throws {
    let bench = try Bench()
    try await bench.makeVault()
    let tpm = ScriptedTPM()
    try await bench.addTPM(tpm)
    let both = try slots(bench, nil, tpm)
    _ = try both.key()
    _ = try both.addKey(try both.makeKeySecret(pin: nil, SecurityKeyWait()) {})
    let faults: [(TPMFailure, says: String)] = [
      (.unexpected("0x101"), "0x101"), (.lockedOut, "lockout"),
    ]
    for (fault, says) in faults {
      tpm.fail(fault)
      guard case .machineKeyNeeded(let message)? = try problem(slots(bench, nil, tpm)) else {
        Issue.record("\(fault) hides the key")
        continue
      }
      #expect(message.contains(says) && message.contains("security key opens it too"))
    }
    tpm.fail(nil)
    tpm.clear()
    guard case .machineKeyNeeded(let message)? = try problem(slots(bench, nil, tpm)) else {
      Issue.record("the key is not named")
      return
    }
    #expect(message.contains("not the TPM") && message.contains("security key opens it too"))
  }

  @Test
  func theLastSlotOfTheHardwareStays() async throws {
    let bench = try await made()
    let slots = try slots(bench)
    #expect(open(slots) == nil)
    let own = try #require(try slots.facts().slots.first { $0.kind == .securityKey })
    let last = #expect(throws: VaultFailure.self) { try slots.remove(own.identifier) }
    #expect(last?.problem.contains("the TPM or a security key opens stays") == true)
    let second = ScriptedKey(seed: 2)
    let other = try self.slots(bench, second)
    key.fail(nil)
    #expect(open(slots) == nil)
    let made = try other.makeKeySecret(pin: nil, SecurityKeyWait()) {}
    _ = try slots.addKey(made)
    try slots.remove(own.identifier)
    #expect(try open(self.slots(bench)) != nil)
    #expect(open(other) == nil)
    // The same key gets no second slot.
    #expect(throws: VaultFailure.self) {
      _ = try other.makeKeySecret(pin: nil, SecurityKeyWait()) {}
    }
  }

  /// Without its state, the key seems to have a counter of a TPM, which no TPM has.
  @Test
  func theAcceptanceOfAVaultWithoutItsStateEndsTheAlarm() async throws {
    let bench = try await made()
    try run("/bin/rm", [bench.scratch.path + "/machine-key/state"])
    do {
      let slots = try slots(bench)
      #expect(open(slots) == nil)
      let vault = try await bench.open(slots: slots)
      #expect(await vault.freshness == .ledgerMissing)
      _ = try await bench.accept(vault)
      #expect(await vault.freshness == .current)
    }
    let slots = try slots(bench)
    #expect(open(slots) == nil)
    #expect(await (try bench.open(slots: slots)).freshness == .current)
  }
}
