import AuditLog
import Configuration
import Presence
import Storage
import Synchronization
import System
import Testing

@testable import TokenVault

/// A journal that records its entries, and refuses all if a test says so.
private final class NotedJournal: AuditJournal {
  private struct State {
    var records: [JournalRecord] = []
    var isFull = false
    var tries = 0
    var watchers: [(count: Int, wake: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  var records: [JournalRecord] { state.withLock(\.records) }
  var tries: Int { state.withLock(\.tries) }
  var numbers: [Int64] { records.map(\.record.number) }

  func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

  func send(_ record: JournalRecord) -> Bool {
    let woken: [CheckedContinuation<Void, Never>]? = state.withLock { state in
      state.tries += 1
      guard !state.isFull else { return nil }
      state.records.append(record)
      let due = state.watchers.filter { $0.count <= state.records.count }
      state.watchers.removeAll { $0.count <= state.records.count }
      return due.map(\.wake)
    }
    for watcher in woken ?? [] { watcher.resume() }
    return woken != nil
  }

  /// Returns when this many records have been sent.
  func untilSent(_ count: Int) async {
    await withCheckedContinuation { wake in
      let isDue = state.withLock { state in
        guard state.records.count < count else { return true }
        state.watchers.append((count, wake))
        return false
      }
      if isDue { wake.resume() }
    }
  }
}

@Suite(.timeLimit(.minutes(10)))
struct AuditJournalTests {
  private let bench: Bench
  private let journal = NotedJournal()

  init() throws { bench = try Bench() }

  private func open(_ limits: AuditLimits = .standard) async throws -> Vault {
    try await bench.open(limits: limits, journal: journal)
  }

  @Test
  func eachRecordIsSentOnceWithTheHeadOfTheChain() async throws {
    let vault = try await open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    await vault.sendToJournal()
    let records = try await vault.auditPage(after: 0, since: nil, account: nil)
    #expect(journal.records.map(\.record) == records)
    #expect(Set(journal.records.map(\.head)).count == records.count)
    #expect(journal.records.last?.head == (try await vault.verifyAuditLog().head))
    #expect(journal.records.allSatisfy { $0.owner == ThisProcess.user && $0.vault.count == 32 })
  }

  @Test
  func theCallerOfARefreshDoesNotWaitForTheJournal() async throws {
    let vault = try await open()
    try await bench.signIn(vault)
    await bench.clock.untilAsleep(milliseconds: Vault.journalDelay)
    bench.clock.advance(7200)
    await vault.untilNothingIsPlanned()
    let count = journal.records.count
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    _ = try await vault.token()
    #expect(journal.records.count == count)
    await bench.clock.untilAsleep(milliseconds: Vault.journalDelay)
    bench.clock.advance(0, milliseconds: Vault.journalDelay)
    // Nothing else asks for it.
    await journal.untilSent(count + 2)
    #expect(journal.numbers == Array(1...Int64(count + 2)))
  }

  @Test
  func aValidTokenSendsNothing() async throws {
    let vault = try await open()
    try await bench.signIn(vault)
    await vault.sendToJournal()
    let count = journal.records.count
    for _ in 0..<10 { _ = try await vault.token() }
    #expect(journal.records.count == count)
  }

  @Test
  func aTransactionThatFailsSendsNothing() async throws {
    let vault = try await open()
    try await bench.signIn(vault)
    let count = journal.records.count
    await vault.recordAndFail()
    #expect(journal.records.count == count)
    bench.clock.advance(7200)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    _ = try await vault.token()
    await vault.sendToJournal()
    #expect(journal.numbers == Array(1...Int64(journal.records.count)))
  }

  @Test
  func aJournalThatTakesNothingFailsNoCallAndGetsTheRecordsLater() async throws {
    let vault = try await open()
    journal.setFull(true)
    try await bench.signIn(vault)
    await vault.sendToJournal()
    #expect(journal.tries == 1)
    for number in 2...5 {
      bench.exchange.plan(.tokens(access: "at-\(number)", refresh: "rt-\(number)"))
      bench.clock.advance(7200)
      _ = try await vault.token()
    }
    journal.setFull(false)
    bench.clock.advance(10)
    try await vault.maintainAuditLog()
    let records = try await vault.auditPage(after: 0, since: nil, account: nil)
    #expect(journal.records.map(\.record) == records)
  }

  @Test
  func whileItTakesNothingItIsNotAskedForEachRecord() async throws {
    let vault = try await open()
    journal.setFull(true)
    for number in 0..<20 {
      try await bench.signIn(vault, "a\(number)")
      await vault.sendToJournal()
    }
    #expect(journal.tries == 1)
  }

  @Test
  func theNextEngineSendsOnlyItsOwnRecords() async throws {
    var vault: Vault? = try await open()
    try await bench.signIn(try #require(vault))
    await vault?.sendToJournal()
    let first = journal.records.count
    #expect(first > 0)
    vault = nil
    let next = try await open()
    bench.clock.advance(7200)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    _ = try await next.token()
    await next.sendToJournal()
    #expect(journal.records.count > first)
    #expect(journal.numbers == Array(1...Int64(journal.records.count)))
  }

  @Test
  func whatTheJournalHasNotTakenIsSentAfterTheVaultWasClosed() async throws {
    var vault: Vault? = try await open()
    try await bench.signIn(try #require(vault))
    await vault?.sendToJournal()
    journal.setFull(true)
    try await bench.signIn(try #require(vault), "b")
    // A machine may have no journal, so nothing waits for one.
    let isIdle = try await #require(vault).isIdle
    #expect(isIdle)
    try await #require(vault).retire()
    vault = nil
    let sent = journal.records.count
    journal.setFull(false)
    vault = try await open()
    try await #require(vault).maintainAuditLog()
    let records = try await #require(vault).auditPage(after: 0, since: nil, account: nil)
    #expect(records.count > sent)
    #expect(journal.records.map(\.record) == records)
    // The next engine has nothing to send again, even if this one is killed.
    vault = nil
    try await open().maintainAuditLog()
    #expect(journal.records.map(\.record) == records)
  }

  @Test
  func aRekeySendsTheHeadUnderTheNewKey() async throws {
    let vault = try await open()
    try await bench.signIn(vault)
    try await bench.rekey(vault)
    await vault.sendToJournal()
    let last = try #require(journal.records.last)
    #expect(last.record.event == "rekey")
    #expect(last.head == (try await vault.verifyAuditLog().head))
  }

  @Test
  func ofAPruningTheRecordAboutItIsSent() async throws {
    let vault = try await open(AuditLimits(seconds: 365 * 86_400, records: 10))
    for number in 0..<20 { try await bench.signIn(vault, "a\(number)") }
    bench.clock.advance(90_000)
    try await vault.maintainAuditLog()
    #expect(journal.records.last?.record.event == "audit-pruning")
  }

  @Test
  func aCutLogShowsInTheJournal() async throws {
    var vault: Vault? = try await open()
    for number in 0..<3 { try await bench.signIn(try #require(vault), "a\(number)") }
    await vault?.sendToJournal()
    vault = nil
    // The whole state is replaced by an older one, which is consistent in itself.
    let old = try bench.snapshot()
    let again = try await bench.open(journal: journal)
    try await bench.signIn(again, "b")
    await again.sendToJournal()
    let cut = try await old.open(journal: journal)
    try await old.signIn(cut, "c")
    await cut.sendToJournal()
    var heads: [Int64: Set<String>] = [:]
    for record in journal.records { heads[record.record.number, default: []].insert(record.head) }
    #expect(heads.values.contains { $0.count > 1 })
  }
}

extension Vault {
  /// Returns when no later call of `sendToJournal` is under way.
  fileprivate func untilNothingIsPlanned() async {
    while audit.progress.isPlanned { await Task.yield() }
  }

  /// Writes a record in a transaction that fails.
  fileprivate func recordAndFail() {
    try? change {
      try record(.refresh, .failed, by: caller())
      throw VaultFailure.unexpected("on purpose")
    }
  }
}
