import Glibc
import Synchronization
import System
import Testing

@testable import ThumblatchKit

/// Work on threads of its own.
@Suite(.timeLimit(.minutes(10)))
struct BlockingWorkTests {
  /// How many jobs have run.
  private final class Count: Sendable {
    let value = Mutex(0)
    var now: Int { value.withLock { $0 } }
    func add() { value.withLock { $0 += 1 } }
  }

  /// A second job, which is handed over in the middle of the first hand-over.
  private final class Later: Sendable {
    let work = Mutex<BlockingWork?>(nil)
    let task = Mutex<Task<AuthError?, Never>?>(nil)

    /// Returns when the job is queued.
    func begin() {
      guard let work = work.withLock({ $0 }), task.withLock({ $0 == nil }) else { return }
      let waiting = Task.detached {
        await error { () throws(AuthError) in try await work.run { _ throws(AuthError) in 1 } }
      }
      task.withLock { $0 = waiting }
      while work.queued == 0 { _ = sched_yield() }
    }
  }

  /// The first job is handed over on the main thread, so that the second one finds a thread of the
  /// pool.
  @Test
  @MainActor
  func aJobThatWaitsForAThreadThatCannotBeStartedFails() async throws {
    let later = Later()
    let work = BlockingWork(mostThreads: 1) { _ throws(SystemError) in
      later.begin()
      throw SystemError("pthread_create", code: EAGAIN)
    }
    later.work.withLock { $0 = work }
    var failure: AuthError?
    do throws(AuthError) { _ = try await work.run { _ throws(AuthError) in 1 } } catch {
      failure = error
    }
    #expect(failure?.kind == .unexpected)
    let second = try #require(later.task.withLock { $0 })
    #expect(await second.value?.kind == .unexpected)
    #expect(work.threads == 0)
    later.work.withLock { $0 = nil }
  }

  @Test
  func eachJobRunsThoughThereIsOneThread() async throws {
    let work = BlockingWork(mostThreads: 1)
    let done = Count()
    try await withThrowingTaskGroup { group in
      for _ in 0..<100 {
        group.addTask { try await work.run { _ throws(AuthError) in done.add() } }
      }
      try await group.waitForAll()
    }
    #expect(done.now == 100)
    try await until { work.threads == 0 }
  }
}
