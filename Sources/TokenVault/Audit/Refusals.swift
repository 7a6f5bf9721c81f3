internal import Presence
internal import Storage
internal import System

/// Refusals of requests that change nothing: counted, so that a flood of them neither fills the
/// disk nor pushes out the history.
struct RefusalCount {
  /// One refused thing, of which account where it is one that there is, and who asked for it.
  struct Key: Hashable {
    let what: String
    let requester: String
    var account: String?
  }

  /// Callers that are counted by name between two writings.
  private static let mostCallers = 100
  /// Records with a caller's name at once, and how long it takes until one more may be written.
  static let mostNamed = 20
  private static let secondsForNamed: Int64 = 180

  private(set) var counts: [Key: Int] = [:]
  private(set) var others: [String: Int] = [:]
  private var named = mostNamed
  private var refilled: BootInstant?

  var isEmpty: Bool { counts.isEmpty && others.isEmpty }

  mutating func note(_ what: String, of account: String?, by requester: String) {
    let key = Key(what: what, requester: requester, account: account)
    if counts[key] != nil || counts.count < Self.mostCallers {
      counts[key, default: 0] += 1
    } else {
      others[what, default: 0] += 1
    }
  }

  /// The lines that are to be written now: the most frequent with their callers, while there is
  /// room for names, and what all others were refused.
  func lines(at now: BootInstant) -> (named: [(key: Key, count: Int)], others: [String: Int]) {
    let sorted = counts.sorted {
      $0.value == $1.value ? $0.key.requester < $1.key.requester : $0.value > $1.value
    }
    let room = room(at: now)
    var rest = others
    for (key, count) in sorted.dropFirst(room) { rest[key.what, default: 0] += count }
    return (sorted.prefix(room).map { ($0.key, $0.value) }, rest)
  }

  /// Forgets what was written.
  mutating func reset(written: Int, at now: BootInstant) {
    named = room(at: now) - written
    refilled = now
    counts = [:]
    others = [:]
  }

  private func room(at now: BootInstant) -> Int {
    guard let refilled else { return Self.mostNamed }
    let more = max(0, now.seconds(since: refilled)) / Self.secondsForNamed
    return min(Self.mostNamed, named + Int(clamping: more))
  }
}

/// How many checks that nobody took part in get a record of their own: sixty, and one more a minute.
struct QuietChecks {
  static let most = 60
  private static let secondsForOne: Int64 = 60

  private var room = most
  private var refilled: BootInstant?

  mutating func take(at now: BootInstant) -> Bool {
    let since = refilled ?? now
    let more = max(0, now.seconds(since: since)) / Self.secondsForOne
    room = min(Self.most, room + Int(clamping: more))
    refilled = room == Self.most ? now : since.advanced(bySeconds: more * Self.secondsForOne)
    guard room > 0 else { return false }
    room -= 1
    return true
  }
}

extension Vault {
  /// Counts a refusal of a request that changes nothing.
  ///
  /// - Parameters:
  ///   - what: one of few fixed names, never a text from outside.
  ///   - account: the name of the account that was asked for, where there is one.
  ///   - requester: who asked.
  public func noteRefusal(_ what: String, of account: String? = nil, by requester: String) {
    refusals.note(what, of: account, by: requester)
  }

  /// Counts a failure, where it is a refusal that is written down nowhere else.
  public func note(_ failure: VaultFailure, by caller: Caller) {
    switch failure {
    case .busy: noteRefusal("busy", by: caller.requester)
    case .tooManyPrompts: noteRefusal("too many prompts", by: caller.requester)
    case .refused: noteRefusal("policy", by: caller.requester)
    case .mayNarrow: break
    case .notExportable(let account):
      noteRefusal(
        "release of an account that is not exportable",
        of: account,
        by: caller.requester
      )
    case .presenceNeeded, .presenceFailed, .noSuchFinger, .noSuchAccount, .noSuchUser,
      .invalidArgument,
      .loginRequired,
      .providerUnavailable, .unavailable, .offline, .providerRefused, .misconfigured, .vaultUnsafe,
      .unexpected:
      break
    }
  }

  /// Writes down how a check ended, in the running transaction.
  ///
  /// A finger or a password that was wrong always gets its record: somebody has to be here, or to
  /// wait. What a program can have ended as often as it likes, by asking and going away, gets one
  /// only so often, and is counted else.
  func record(_ entry: AuditEntry, of outcome: PresenceOutcome) throws(VaultFailure) {
    guard outcome == .noMatch || quietChecks.take(at: clock.boot) else {
      return noteRefusal("check \(outcome.name)", by: entry.requester ?? "")
    }
    try record(entry)
  }

  /// Writes the counted refusals down; called each minute and at the end.
  public func flushRefusals() throws(VaultFailure) {
    guard !refusals.isEmpty else { return }
    let now = clock.boot
    let lines = refusals.lines(at: now)
    try change { () throws(VaultFailure) in
      for (key, count) in lines.named {
        var entry = AuditEntry(event: .refusal, outcome: .refused)
        entry.requester = key.requester
        // One that was removed since has no place in the record any more.
        if let name = key.account,
          let row = try self.accounts().first(where: { $0.name == name })
        {
          entry.account = (row.id, row.name)
        }
        entry.detail = "\(count) × \(key.what)"
        try self.record(entry)
      }
      if !lines.others.isEmpty {
        var entry = AuditEntry(event: .refusal, outcome: .refused)
        let counts = lines.others.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
        entry.detail = counts.joined(separator: ", ") + ", by others"
        try self.record(entry)
      }
    }
    refusals.reset(written: lines.named.count, at: now)
  }
}
