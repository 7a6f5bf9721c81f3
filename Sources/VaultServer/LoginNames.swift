internal import Synchronization
internal import System

/// Looks up the login names of users, each user's on a thread of its own: a machine's databases may
/// take their time (nsswitch.conf(5)).
final class LoginNames: Sendable {
  typealias Answer = Result<String?, SystemError>

  private let lookup: @Sendable (UInt32) -> String?
  /// Who waits for a user's name; there is an entry for as long as that user's thread runs.
  private let waiting = Mutex<[UInt32: [CheckedContinuation<Answer, Never>]]>([:])

  init(by lookup: @escaping @Sendable (UInt32) -> String?) {
    self.lookup = lookup
  }

  /// The login name that a user has now; nil where there is none, or it cannot be found out.
  ///
  /// The look begins after the question; whoever asks while an earlier one lasts shares the next.
  ///
  /// - Throws: where no thread can be started.
  func name(of user: UInt32) async throws(SystemError) -> String? {
    let answer: Answer = await withCheckedContinuation { continuation in
      let isFirst = waiting.withLock { waiting in
        defer { waiting[user, default: []].append(continuation) }
        return waiting[user] == nil
      }
      guard isFirst else { return }
      do throws(SystemError) {
        try startThread { self.run(user) }
      } catch {
        let all = waiting.withLock { $0.removeValue(forKey: user) }
        for continuation in all ?? [] { continuation.resume(returning: .failure(error)) }
      }
    }
    return try answer.get()
  }

  /// How many wait for the next look at a user.
  func askers(of user: UInt32) -> Int { waiting.withLock { $0[user]?.count ?? 0 } }

  private func run(_ user: UInt32) {
    while let askers = next(user) {
      let name = lookup(user)
      for asker in askers { asker.resume(returning: .success(name)) }
    }
  }

  /// Those who wait; nil, and the end of the thread, where nobody does.
  private func next(_ user: UInt32) -> [CheckedContinuation<Answer, Never>]? {
    waiting.withLock { waiting in
      guard let askers = waiting[user], !askers.isEmpty else {
        waiting[user] = nil
        return nil
      }
      waiting[user] = []
      return askers
    }
  }
}

/// Remembers which opening of its user's vault a connection was served by: the user's login name was
/// compared then, and need not be for each call.
final class Recognition: Sendable {
  private let opening = Atomic<UInt64>(0)

  func isFor(_ number: UInt64) -> Bool { opening.load(ordering: .acquiring) == number }
  func note(_ number: UInt64) { opening.store(number, ordering: .releasing) }
}

/// Starts work beside the caller's.
///
/// A task of the main thread's own would have a priority above the usual, which only root's may have
/// (setpriority(2)): the threads of libdispatch would complain of that in the journal.
@discardableResult
func beside(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
  Task(priority: .medium, operation: work)
}

/// Runs work that blocks on a thread of its own.
func onThread<Value: Sendable>(
  _ work: @escaping @Sendable () throws -> Value
) async -> Result<Value, any Error> {
  await withCheckedContinuation { continuation in
    do throws(SystemError) {
      try startThread { continuation.resume(returning: Result { try work() }) }
    } catch {
      continuation.resume(returning: .failure(error))
    }
  }
}
