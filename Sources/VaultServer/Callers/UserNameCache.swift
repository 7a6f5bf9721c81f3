internal import Configuration
internal import Synchronization
internal import System

/// Looks up the user names of users.
///
/// Each user's lookup has a thread of its own, because the machine's databases may be slow
/// (nsswitch.conf(5)).
final class UserNameCache: Sendable {
  typealias Answer = Result<String?, SystemError>

  /// The error if the machine's databases do not answer and too many lookups wait already.
  private static let tooMany = SystemError("too many user names are being looked up", code: 11)

  struct Finding {
    let name: String
    /// When the lookup began.
    let begun: BootInstant
    /// The state of the user list at that time.
    fileprivate let list: FileStamp
  }

  /// The most lookups at once.
  ///
  /// If a database does not answer, each lookup holds a thread.
  private static let mostLooks = 64

  private let lookup: @Sendable (UInt32) -> String?
  private let list: @Sendable () -> FileStamp?
  private let seconds: Int64
  private let findings = Mutex<[UInt32: Finding]>([:])
  /// The callers that wait for a user's name.
  ///
  /// An entry exists as long as that user's thread runs.
  private let waiting = Mutex<[UInt32: [CheckedContinuation<Answer, Never>]]>([:])

  /// Makes a cache of user names.
  ///
  /// - Parameters:
  ///   - lookup: finds the name of a user.
  ///   - list: returns a stamp of the machine's user list that changes with it; `nil` if it cannot.
  ///   - seconds: how long a name is valid without another lookup.
  init(
    by lookup: @escaping @Sendable (UInt32) -> String?,
    list: @escaping @Sendable () -> FileStamp? = { nil },
    for seconds: Int64 = 1
  ) {
    self.lookup = lookup
    self.list = list
    self.seconds = seconds
  }

  /// The user name from a recent lookup if the machine's user list has not changed since; `nil` if
  /// a lookup is needed.
  func recent(of user: UInt32) -> Finding? {
    guard let finding = findings.withLock({ $0[user] }), isRecent(finding, at: .now),
      finding.list == list()
    else { return nil }
    return finding
  }

  private func isRecent(_ finding: Finding, at now: BootInstant) -> Bool {
    now < finding.begun.advanced(bySeconds: seconds)
  }

  /// The name that a user has now; `nil` if the user has none or it cannot be found.
  ///
  /// The lookup begins after the call. Calls that come while an earlier lookup runs share the next
  /// one.
  ///
  /// - Throws: an error if no thread can be started.
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

  /// How many callers wait for the next lookup of a user.
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

  /// The waiting callers; `nil` if there are none, which ends the thread.
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

/// Remembers which opening of the user's vault served a connection, and whether the user's name was
/// looked up for that connection.
///
/// Later calls then need no lookup. It also holds the rule that the connection is under.
final class Recognition: Sendable {
  private let begun = BootInstant.now
  /// The marks of the process that connected.
  let marks = Mutex(KnownMarks())
  private let ruleStatus = Mutex(CallerRuleStatus.unknown)
  private let isFreeOfRules = Atomic(false)
  private let opening = Atomic<UInt64>(0)
  private let lookedUp = Atomic<UInt64>(0)

  /// Whether it is known that no rule holds for the connection.
  var isFree: Bool { isFreeOfRules.load(ordering: .acquiring) }
  /// The known state of the rules for the connection.
  var known: CallerRuleStatus { ruleStatus.withLock { $0 } }

  /// Keeps the rule that holds for the connection, unless the connection is restricted already.
  func learn(_ rule: CallerRule?) {
    ruleStatus.withLock { status in
      guard case .unknown = status else { return }
      status = rule.map(CallerRuleStatus.ruled) ?? .free
      isFreeOfRules.store(rule == nil, ordering: .releasing)
    }
  }

  /// Restricts the connection until its end; false if it is restricted already.
  func restrict(by rule: CallerRule) -> Bool {
    ruleStatus.withLock { status in
      if case .restricted = status { return false }
      status = .restricted(rule)
      isFreeOfRules.store(false, ordering: .releasing)
      return true
    }
  }

  /// Whether this opening served the connection.
  func isFor(_ number: UInt64) -> Bool { opening.load(ordering: .acquiring) == number }
  /// Whether a lookup for this connection compared the user's name.
  func isSettled(for number: UInt64) -> Bool { lookedUp.load(ordering: .acquiring) == number }

  /// Records the opening and the time of the lookup.
  ///
  /// A lookup that began before the connection does not settle it: the uid may have belonged to
  /// another user then.
  func note(_ number: UInt64, by look: BootInstant) {
    opening.store(number, ordering: .releasing)
    if look >= begun { lookedUp.store(number, ordering: .releasing) }
  }
}

/// Starts work beside the caller's.
///
/// A task with the main thread's own priority would be above the usual one, which only root may
/// have (setpriority(2)). The threads of libdispatch would complain of that in the journal.
@discardableResult
func beside(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
  Task(priority: .medium, operation: work)
}
