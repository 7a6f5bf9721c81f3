import MachineKey
import ScriptedTPM
import SecretMemory
import Storage
import System
import TestSupport
import Testing

@testable import TokenVault

/// Which restored copies each tier detects: the table in Integrity.md, row by row.
@Suite(.timeLimit(.minutes(10)))
struct RestoreTierTests {
  enum Tier: CaseIterable {
    case file, machineKey, counter
  }

  private static let store = ["vault.db", "vault.db-wal"]
  private static let vault = store + ["rollback-counter", "slots", "tokens", "device-secret"]
  private static let whole = vault + ["machine-key"]

  private let tpm = ScriptedTPM()

  private func made(_ tier: Tier) async throws -> Bench {
    let bench = try Bench()
    try await bench.makeVault()
    try await raise(bench, to: tier)
    return bench
  }

  private func raise(_ bench: Bench, to tier: Tier) async throws {
    if tier == .machineKey { tpm.limitCounters(to: 0) }
    if tier != .file { try await bench.addTPM(tpm) }
  }

  /// Changes the vault in a run of the engine, which is killed or ends in order.
  private func use(_ bench: Bench, _ names: String..., ends: Bool = true) async throws {
    let slots = try bench.slots(tpm)
    let vault = try await bench.open(slots: slots)
    for name in names { try await bench.signIn(vault, name, refresh: "rt-\(name)") }
    if ends { slots.finishCounter() }
  }

  private func freshness(_ bench: Bench) async throws -> StoreFreshness {
    await (try bench.open(with: tpm)).freshness
  }

  private func expect(
    _ bench: Bench,
    _ tier: Tier,
    _ expected: [StoreFreshness],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let index = try #require(Tier.allCases.firstIndex(of: tier))
    let found = try await freshness(bench)
    #expect(found == expected[index], "\(tier)", sourceLocation: sourceLocation)
  }

  @Test(arguments: Tier.allCases)
  func aStoreWithoutItsRollbackCounter(_ tier: Tier) async throws {
    let bench = try await made(tier)
    let copy = try bench.snapshot()
    try await use(bench, "later")
    try bench.put(Self.store, from: copy)
    try await expect(bench, tier, [.olderThanCounter, .olderThanCounter, .olderThanCounter])
  }

  @Test(arguments: Tier.allCases)
  func oneVaultWithItsRollbackCounter(_ tier: Tier) async throws {
    let bench = try await made(tier)
    let copy = try bench.snapshot()
    try await use(bench, "later")
    try bench.put(Self.vault, from: copy)
    try await expect(bench, tier, [.current, .current, .olderThanLedger])
  }

  @Test(arguments: Tier.allCases)
  func theWholeDirectory(_ tier: Tier) async throws {
    let bench = try await made(tier)
    let copy = try bench.snapshot()
    // The first change of a run is counted even if the engine is killed then.
    try await use(bench, "later", ends: false)
    try bench.put(Self.whole, from: copy)
    try await expect(bench, tier, [.current, .current, .directoryOlder])
  }

  @Test(arguments: Tier.allCases)
  func theWholeDirectoryOfTheSameHour(_ tier: Tier) async throws {
    let bench = try await made(tier)
    let slots = try bench.slots(tpm)
    var vault: Vault? = try await bench.open(slots: slots)
    if let vault { try await bench.signIn(vault, "first", refresh: "rt-first") }
    let copy = try bench.snapshot()
    if let vault { try await bench.signIn(vault, "second", refresh: "rt-second") }
    vault = nil
    let killed = try bench.snapshot()
    try bench.put(Self.whole, from: copy)
    try await expect(bench, tier, [.current, .current, .current])
    // An engine that ends in order leaves no such copy if there is a counter.
    try bench.put(Self.whole, from: killed)
    slots.finishCounter()
    try bench.put(Self.whole, from: copy)
    try await expect(bench, tier, [.current, .current, .directoryOlder])
  }

  @Test(arguments: [Tier.machineKey, .counter])
  func aCopyFromBeforeTheMachineKey(_ tier: Tier) async throws {
    let bench = try await made(.file)
    let copy = try bench.snapshot()
    try await raise(bench, to: tier)
    try await use(bench, "later")
    try bench.put(Self.vault, from: copy)
    #expect(try await freshness(bench) == .beforeMachineKey)
    try bench.put(Self.whole, from: copy)
    #expect(try await freshness(bench) == .current)
  }

  @Test(arguments: ["ledger", "state", "ledger and state"])
  func aDirectoryWithoutItsLedgerOrState(_ missing: String) async throws {
    let bench = try await made(.counter)
    for name in missing.split(separator: " ") where name != "and" {
      try run("/bin/rm", [bench.scratch.path + "/machine-key/\(name)"])
    }
    // The ledger shows this too, without the state.
    let expected = missing == "state" ? StoreFreshness.current : .ledgerMissing
    #expect(try await freshness(bench) == expected)
  }

  @Test
  func aCounterThatIsGone() async throws {
    let bench = try await made(.counter)
    tpm.deleteCounters()
    #expect(try await freshness(bench) == .counterReplaced)
  }

  @Test(arguments: [Tier.machineKey, .counter])
  func aRecoveryCodeOnAnotherMachineMakesNoComparison(_ tier: Tier) async throws {
    let bench = try await made(tier)
    let copy = try bench.snapshot()
    try await use(bench, "later")
    let slots = try copy.slots(NoTPM())
    _ = try slots.recover(with: try Bench.code())
    #expect(await (try copy.open(slots: slots)).freshness == .current)
    #expect(slots.withCounter { $0.finding } == (tier == .counter ? .unchecked : .none))
    // The TPM of that machine begins a new counter, and the next start is no alarm.
    let other = ScriptedTPM(seed: 7)
    let done = try copy.slots(other).recover(with: try Bench.code())
    #expect(done.added != nil && other.counters == 1)
    #expect(await (try copy.open(with: other)).freshness == .current)
  }
}
