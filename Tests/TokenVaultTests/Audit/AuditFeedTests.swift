import Synchronization
import System
import Testing

@testable import TokenVault

/// A client that follows the audit log gets each record once.
@Suite(.timeLimit(.minutes(10)))
struct AuditFeedTests {
  /// A client that keeps the reported records.
  private final class Reader: Sendable {
    private let pages: AsyncStream<[AuditFacts]>
    private let told = Mutex<[AuditFacts]>([])
    private let task: Task<Result<Void, VaultFailure>, Never>

    init(_ vault: Vault, _ account: String? = nil, since: Int64? = nil) {
      let (pages, into) = AsyncStream<[AuditFacts]>.makeStream()
      self.pages = pages
      task = Task {
        defer { into.finish() }
        do throws(VaultFailure) {
          try await vault.followAuditLog(account: account, since: since) { page in
            into.yield(page)
            return true
          }
          return .success(())
        } catch {
          return .failure(error)
        }
      }
    }

    /// Reads until the last record is of this number; returns all records so far.
    func read(through number: Int64) async -> [AuditFacts] {
      var last = told.withLock { $0.last?.number } ?? 0
      var pages = pages.makeAsyncIterator()
      while last < number, let page = await pages.next() {
        last = page.last?.number ?? last
        told.withLock { $0 += page }
      }
      return told.withLock { $0 }
    }

    func end() async -> Result<Void, VaultFailure> {
      task.cancel()
      return await task.value
    }
  }

  private func log(_ vault: Vault) async throws -> [AuditFacts] {
    try await vault.auditPage(after: 0, since: nil, account: nil)
  }

  @Test
  func oldRecordsComeFirstAndNewOnesFollow() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    let before = try await log(vault)
    let reader = Reader(vault)
    #expect(await reader.read(through: Int64(before.count)) == before)
    try await bench.unlock(vault)
    _ = try await vault.lock(caller: caller())
    let after = try await log(vault)
    #expect(after.count > before.count)
    #expect(await reader.read(through: Int64(after.count)) == after)
    try await reader.end().get()
    #expect(await vault.watchers.isEmpty)
  }

  @Test
  func recordsOfOneAccountFollowItsRename() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    let reader = Reader(vault, "me")
    _ = await reader.read(through: 1)
    try await bench.signIn(vault, "other")
    _ = try await vault.rename(account: "me", to: "mine", caller: caller())
    let all = try await log(vault)
    let told = await reader.read(through: Int64(all.count))
    #expect(told.last?.event == "account-renamed")
    #expect(told == all.filter { $0.account != "other" })
    try await reader.end().get()
  }

  @Test
  func theRecordsOfAFormerNameAreFound() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    _ = try await vault.rename(account: "me", to: "mine", caller: caller())
    _ = try await vault.remove(account: "mine", local: true, caller: caller())
    let all = try await log(vault).filter { $0.account != nil }
    #expect(all.last?.event == "account-removed")
    for name in ["me", "mine"] {
      #expect(try await vault.auditPage(after: 0, since: nil, account: name) == all)
    }
    let unknown = await failure {
      _ = try await vault.auditPage(after: 0, since: nil, account: "nobody")
    }
    #expect(unknown == .noSuchAccount("nobody"))
  }

  @Test
  func theRecordsOfARemovedAccountAreFoundIfALaterOneHasItsName() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    _ = try await vault.remove(account: "me", local: true, caller: caller())
    try await bench.signIn(vault)
    let both = try await log(vault).filter { $0.account == "me" }
    #expect(both.contains { $0.event == "account-removed" })
    #expect(try await vault.auditPage(after: 0, since: nil, account: "me") == both)
    // An account that is still there is found by its present name.
    _ = try await vault.rename(account: "me", to: "mine", caller: caller())
    try await bench.signIn(vault)
    let mine = try await vault.auditPage(after: 0, since: nil, account: "mine").map(\.number)
    let me = try await vault.auditPage(after: 0, since: nil, account: "me").map(\.number)
    #expect(!mine.isEmpty && Set(mine).isDisjoint(with: me))
    _ = try await vault.remove(account: "me", local: true, caller: caller())
    #expect(try await vault.auditPage(after: 0, since: nil, account: "me").count > me.count)
  }

  /// `since` selects old records; a clock that is set back hides no new one.
  @Test
  func aClockThatIsSetBackHidesNothing() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    let old = try await log(vault)
    let reader = Reader(vault, since: bench.clock.wall.seconds + 60)
    // It waits, and gets no record yet.
    while await vault.watchers.isEmpty { await Task.yield() }
    _ = try await vault.setDefault(account: "me", caller: caller())
    let all = try await log(vault)
    #expect(await reader.read(through: Int64(all.count)) == Array(all.dropFirst(old.count)))
    try await reader.end().get()
  }

  @Test
  func anUnknownAccountAndACrowdAreRefused() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    let stranger = await Reader(vault, "nobody").end()
    #expect(throws: VaultFailure.noSuchAccount("nobody")) { try stranger.get() }
    let readers = (0..<64).map { _ in Reader(vault) }
    while await vault.watchers.all.reduce(0, { count, _ in count + 1 }) < 64 { await Task.yield() }
    let late = await Reader(vault).end()
    #expect(throws: VaultFailure.busy("too many programs watch the vault")) { try late.get() }
    for reader in readers { try await reader.end().get() }
    #expect(await vault.watchers.isEmpty)
  }
}
