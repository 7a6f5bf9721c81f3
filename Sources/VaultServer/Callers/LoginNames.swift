internal import Synchronization
internal import System

/// Looks up the login names of users, each user's on a thread of its own: a machine's databases may
/// take their time (nsswitch.conf(5)).
final class LoginNames: Sendable {
  typealias Answer = Result<String?, SystemError>

  /// The machine's databases do not answer, and many wait for them already.
  private static let tooMany = SystemError("too many looks for a login name", code: 11)

  /// A name that was found.
  struct Finding {
    let name: String
    /// When the look for it began.
    let begun: BootInstant
    /// How the list of users stood then.
    fileprivate let list: FileStamp
  }

  /// The most looks at once: where a database does not answer, each holds a thread.
  private static let mostLooks = 64

  private let lookup: @Sendable (UInt32) -> String?
  private let list: @Sendable () -> FileStamp?
  private let seconds: Int64
  private let findings = Mutex<[UInt32: Finding]>([:])
  /// Who waits for a user's name; there is an entry for as long as that user's thread runs.
  private let waiting = Mutex<[UInt32: [CheckedContinuation<Answer, Never>]]>([:])

  /// Looks names up.
  ///
  /// - Parameters:
  ///   - lookup: finds the login name of a user.
  ///   - list: tells the machine's list of users from itself after a change; `nil` if it cannot.
  ///   - seconds: how long a name that was found holds without another look.
  init(
    by lookup: @escaping @Sendable (UInt32) -> String?,
    list: @escaping @Sendable () -> FileStamp? = { nil },
    for seconds: Int64 = 1
  ) {
    self.lookup = lookup
    self.list = list
    self.seconds = seconds
  }

  /// The login name of a user, where it was found a moment ago and the machine's list of users has not
  /// changed since; nil: a look is needed.
  func recent(of user: UInt32) -> Finding? {
    guard let finding = findings.withLock({ $0[user] }), isRecent(finding, at: .now),
      finding.list == list()
    else { return nil }
    return finding
  }

  private func isRecent(_ finding: Finding, at now: BootInstant) -> Bool {
    now < finding.begun.advanced(bySeconds: seconds)
  }

  /// The login name that a user has now; `nil` if there is none, or it cannot be found out.
  ///
  /// The look begins after the question; whoever asks while an earlier one lasts shares the next.
  ///
  /// - Throws: where no thread can be started.
  func name(of user: UInt32) async throws(SystemError) -> String? {
    let answer: Answer = await withCheckedContinuation { continuation in
      let (isFirst, isTooMany) = waiting.withLock { waiting in
        let isFirst = waiting[user] == nil
        guard !isFirst || waiting.count < Self.mostLooks else { return (false, true) }
        waiting[user, default: []].append(continuation)
        return (isFirst, false)
      }
      guard !isTooMany else { return continuation.resume(returning: .failure(Self.tooMany)) }
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
      let name = found(user)
      for asker in askers { asker.resume(returning: .success(name)) }
    }
  }

  private func found(_ user: UInt32) -> String? {
    let (begun, list) = (BootInstant.now, list())
    let name = lookup(user)
    findings.withLock { findings in
      findings = findings.filter { isRecent($0.value, at: begun) }
      findings[user] = name.flatMap { name in
        list.map { Finding(name: name, begun: begun, list: $0) }
      }
    }
    return name
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

/// Remembers which opening of its user's vault a connection was served by, and whether the user's login
/// name was looked up for it, so that it need not be for each call.
final class Recognition: Sendable {
  private let begun = BootInstant.now
  private let opening = Atomic<UInt64>(0)
  private let lookedUp = Atomic<UInt64>(0)

  /// Whether it was served by an opening.
  func isFor(_ number: UInt64) -> Bool { opening.load(ordering: .acquiring) == number }
  /// Whether its user's name was compared by a look of its own.
  func isSettled(for number: UInt64) -> Bool { lookedUp.load(ordering: .acquiring) == number }

  /// It is served, by a look that began then; one that began before the connection did is another's.
  func note(_ number: UInt64, by look: BootInstant) {
    opening.store(number, ordering: .releasing)
    if look >= begun { lookedUp.store(number, ordering: .releasing) }
  }
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
