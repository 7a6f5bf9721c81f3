import MachineKey
import ScriptedTPM
import Storage
import Synchronization
import System
import TestSupport
import Testing

@testable import TokenVault

/// The TPM's counter in runs of the engine: when it is incremented, and how a vault is accepted.
@Suite(.timeLimit(.minutes(10)))
struct MachineCounterVaultTests {
  private static let whole = [
    "vault.db", "vault.db-wal", "rollback-counter", "slots", "tokens", "device-secret",
    "machine-key",
  ]

  private let tpm = ScriptedTPM()

  private func made() async throws -> Bench {
    let bench = try Bench()
    try await bench.makeVault()
    try await bench.addTPM(tpm)
    return bench
  }

  private func ledger(_ bench: Bench) throws -> CounterLedger {
    let path = try Directory(path: bench.scratch.path + "/machine-key")
    return try CounterLedger(
      parsing: try path.openForReading("ledger").readAll(limit: 1 << 20)
    )
  }

  /// Puts an old copy of the whole directory in its place.
  private func restored() async throws -> (now: Bench, copy: Bench) {
    let bench = try await made()
    let copy = try bench.snapshot()
    let vault = try await bench.open(with: tpm)
    try await bench.signIn(vault, "later", refresh: "rt-later")
    try bench.put(Self.whole, from: copy)
    return (bench, copy)
  }

  @Test
  func aRestoredDirectoryIsRefusedUntilItIsAccepted() async throws {
    let (bench, copy) = try await restored()
    var vault: Vault? = try await bench.open(with: tpm)
    if let vault {
      #expect(await vault.freshness == .directoryOlder)
      let refusal = await failure { _ = try await vault.token("me") }
      guard case .vaultUnsafe(let message, let hint)? = refusal else {
        Issue.record("an old token is used")
        return
      }
      #expect(message.contains("restored from an old copy"))
      #expect(hint?.text.contains("recover") == true)
      try await bench.accept(vault)
      #expect(await vault.freshness == .current)
      try await bench.signIn(vault, "me", refresh: "rt-new")
    }
    vault = nil
    #expect(await (try bench.open(with: tpm)).freshness == .current)
    #expect(try ledger(bench).unlisted == .isRefused)
    try bench.put(Self.whole, from: copy)
    #expect(await (try bench.open(with: tpm)).freshness == .directoryOlder)
  }

  @Test
  func aVaultStaysRefusedIfTheTPMDoesNotAcceptIt() async throws {
    let (bench, _) = try await restored()
    let vault = try await bench.open(with: tpm)
    tpm.fail(.busy)
    guard case .providerUnavailable? = await failure({ try await bench.accept(vault) }) else {
      Issue.record("a vault is accepted without the TPM")
      return
    }
    #expect(await vault.freshness == .directoryOlder)
    tpm.fail(nil)
    try await bench.accept(vault)
    #expect(await vault.freshness == .current)
  }

  @Test
  func aRecoveryByCodeOfAnOpenKeyKeepsTheRefusal() async throws {
    let (bench, _) = try await restored()
    let slots = try bench.slots(tpm)
    #expect(try slots.key() != nil && slots.counterCheck == .refused)
    tpm.fail(.busy)
    _ = try slots.recover(with: try Bench.code())
    tpm.fail(nil)
    #expect(slots.counterCheck == .refused)
    #expect(await (try bench.open(slots: slots)).freshness == .directoryOlder)
  }

  @Test
  func aVaultOfWhichOnlyTheStoreIsOldIsAcceptedAboveItsCount() async throws {
    let bench = try await made()
    let copy = try bench.snapshot()
    var vault: Vault? = try await bench.open(with: tpm)
    if let vault { try await bench.signIn(vault, "later", refresh: "rt-later") }
    vault = nil
    let newest = try bench.snapshot()
    let names = Self.whole.filter { $0 != "machine-key" }
    try bench.put(names, from: copy)
    vault = try await bench.open(with: tpm)
    if let vault {
      #expect(await vault.freshness == .olderThanLedger)
      try await bench.accept(vault)
    }
    vault = nil
    #expect(await (try bench.open(with: tpm)).freshness == .current)
    try bench.put(names, from: newest)
    #expect(await (try bench.open(with: tpm)).freshness == .olderThanLedger)
  }

  @Test
  func aCounterThatIsGoneIsReplacedByAnAcceptance() async throws {
    let bench = try await made()
    tpm.deleteCounters()
    let vault = try await bench.open(with: tpm)
    #expect(await vault.freshness == .counterReplaced)
    try await bench.accept(vault)
    #expect(tpm.counters == 1)
    #expect(try ledger(bench).unlisted == .isRefused && ledger(bench).vaults.count == 1)
  }

  @Test
  func theCounterGoesOnAtTheFirstChangeThenHourlyAndAtTheEnd() async throws {
    let bench = try await made()
    let first = try ledger(bench).value
    let slots = try bench.slots(tpm)
    let vault = try await bench.open(slots: slots)
    func steps() throws -> UInt64 { try ledger(bench).value - first }
    slots.finishCounter()
    #expect(try steps() == 0)
    for name in ["a", "b"] { try await bench.signIn(vault, name, refresh: "rt-\(name)") }
    #expect(try steps() == 1)
    bench.clock.advance(3599)
    slots.advanceIfDue()
    #expect(try steps() == 1)
    bench.clock.advance(1)
    slots.advanceIfDue()
    #expect(try steps() == 2)
    slots.advanceIfDue()
    slots.finishCounter()
    #expect(try steps() == 2)
    try await bench.signIn(vault, "c", refresh: "rt-c")
    #expect(try steps() == 2)
    slots.finishCounter()
    slots.finishCounter()
    #expect(try steps() == 3)
  }

  @Test
  func aTPMThatFailsStopsNoCallAndIsAskedAgain() async throws {
    let bench = try await made()
    let first = try ledger(bench).value
    let slots = try bench.slots(tpm)
    let vault = try await bench.open(slots: slots)
    tpm.fail(.busy)
    try await bench.signIn(vault, "a", refresh: "rt-a")
    tpm.fail(nil)
    bench.clock.advance(299)
    slots.advanceIfDue()
    #expect(try ledger(bench).value == first)
    bench.clock.advance(1)
    slots.advanceIfDue()
    #expect(try ledger(bench).value == first + 1)
  }

  /// The TPM works on another thread, which a call does not wait for.
  @Test
  func aCallDoesNotWaitForTheTPM() async throws {
    let bench = try await made()
    let waiting = Held()
    let slots = MachineKeySlots(
      try MachineKeyDirectory(in: try Directory(path: bench.scratch.path)),
      owner: .user(ThisProcess.user),
      tpm: tpm,
      beside: { work in waiting.hold(work) }
    )
    let first = try ledger(bench).value
    let vault = try await bench.open(slots: slots)
    try await bench.signIn(vault, "a", refresh: "rt-a")
    #expect(try ledger(bench).value == first)
    waiting.run()
    #expect(try ledger(bench).value == first + 1)
  }

  @Test
  func aVaultThatIsMadeAfterAnAcceptanceIsListedFromItsStart() async throws {
    let (bench, _) = try await restored()
    var vault: Vault? = try await bench.open(with: tpm)
    if let vault { try await bench.accept(vault) }
    vault = nil
    let listed = try ledger(bench).vaults.count
    for name in Self.whole where name != "machine-key" {
      try run("/bin/rm", ["-rf", bench.scratch.path + "/" + name])
    }
    vault = try await bench.open(with: tpm)
    if let vault {
      #expect(await vault.freshness == .current)
      #expect(try ledger(bench).vaults.count == listed + 1)
      // The engine is killed before the counter is incremented.
      tpm.fail(.unreachable("killed"))
      try await bench.signIn(vault, "new", refresh: "rt-new")
      tpm.fail(nil)
    }
    vault = nil
    #expect(await (try bench.open(with: tpm)).freshness == .current)
  }

  @Test
  func aTPMWithoutRoomAddsNoCounterAndGetsOneLater() async throws {
    tpm.limitCounters(to: 0)
    let bench = try await made()
    var slots = try bench.slots(tpm)
    #expect(try slots.key() != nil && !slots.hasCounter)
    guard case .invalidArgument? = failing({ _ = try slots.addTPM() }) else {
      Issue.record("a slot is added twice")
      return
    }
    tpm.limitCounters(to: 25)
    _ = try slots.addTPM()
    #expect(slots.hasCounter && tpm.counters == 1)
    slots = try bench.slots(tpm)
    #expect(try slots.key() != nil)
    guard case .current = slots.withCounter({ $0.finding }) else {
      Issue.record("the new counter is not used")
      return
    }
    guard case .invalidArgument? = failing({ _ = try slots.addTPM() }) else {
      Issue.record("a counter is defined twice")
      return
    }
  }

  @Test
  func theDoctorSaysHowATPMWithoutACounterGetsOne() async throws {
    tpm.limitCounters(to: 0)
    let bench = try await made()
    var vault: Vault? = try await bench.open(with: tpm)
    let found = await vault?.examine().first { $0.name == "tpm-counter" }
    #expect(found?.level == .warning)
    #expect(found?.remedy?.contains("thumblatch device-secret add tpm") == true)
    vault = nil
    tpm.limitCounters(to: 25)
    let slots = try bench.slots(tpm)
    #expect(try slots.key() != nil)
    _ = try slots.addTPM()
    let again = try await bench.open(with: tpm)
    #expect(await !again.examine().contains { $0.name == "tpm-counter" })
  }

  @Test
  func aTPMThatDoesNotReadTheCounterNowIsNoAlarm() async throws {
    let bench = try await made()
    let slots = try bench.slots(tpm)
    // The slot opens, and the read of the counter fails.
    tpm.failAfter(1, .busy)
    guard case .providerUnavailable? = failing({ _ = try slots.key() }) else {
      Issue.record("the vault opens without a comparison")
      return
    }
    tpm.fail(nil)
    bench.clock.advance(1)
    #expect(try slots.key() != nil)
    #expect(await (try bench.open(slots: slots)).freshness == .current)
  }

  private func failing(_ body: () throws -> Void) -> VaultFailure? {
    do {
      try body()
      return nil
    } catch {
      return error as? VaultFailure
    }
  }
}

/// Work that waits until a test runs it.
private final class Held: Sendable {
  private let work = Mutex<(@Sendable () -> Void)?>(nil)

  func hold(_ next: @escaping @Sendable () -> Void) { work.withLock { $0 = next } }

  func run() { work.withLock { $0 }?() }
}
