internal import AuditLog
internal import Presence
internal import PresenceTerms
internal import Storage
internal import Synchronization
internal import System

/// The count of refused requests that change nothing.
///
/// They are counted, so that a flood of them neither fills the disk nor pushes out the history.
struct RefusalCount {
  /// One refused thing, its account if that exists, and the caller that asked for it.
  struct Key: Hashable {
    let what: String
    let requester: String
    var account: String?
  }

  /// The limit of callers that are counted by name between two writings.
  private static let mostCallers = 100
  /// The limit of refused things that are counted without their callers, besides `other`.
  static let mostOthers = 64
  /// The limit of records with a caller's name.
  private var names = RecordLimit(most: mostNamed, secondsForOne: 180)
  static let mostNamed = 20

  private(set) var counts: [Key: Int] = [:]
  private(set) var others: [String: Int] = [:]

  var isEmpty: Bool { counts.isEmpty && others.isEmpty }

  mutating func note(_ what: String, of account: String?, by requester: String) {
    let key = Key(what: what, requester: requester, account: account)
    if counts[key] != nil || counts.count < Self.mostCallers {
      counts[key, default: 0] += 1
    } else {
      add(1, of: what, to: &others)
    }
  }

  /// Adds to a sum.
  ///
  /// A client chooses some of these texts. So only the first ones are kept apart, and the rest is
  /// `other`.
  private func add(_ count: Int, of what: String, to sums: inout [String: Int]) {
    let isKnown = sums[what] != nil || sums.count < Self.mostOthers
    sums[isKnown ? what : "other", default: 0] += count
  }

  /// The lines to write now: the most frequent refusals with their callers, as far as names may be
  /// written, and the sums of all others.
  func lines(at now: BootInstant) -> (named: [(key: Key, count: Int)], others: [String: Int]) {
    let sorted = counts.sorted {
      $0.value == $1.value ? $0.key.requester < $1.key.requester : $0.value > $1.value
    }
    let room = names.room(at: now)
    var rest = others
    for (key, count) in sorted.dropFirst(room) { add(count, of: key.what, to: &rest) }
    return (sorted.prefix(room).map { ($0.key, $0.value) }, rest)
  }

  /// Resets the counts after they were written.
  mutating func reset(written: Int, at now: BootInstant) {
    names.take(written, at: now)
    counts = [:]
    others = [:]
  }
}

extension Vault {
  /// Counts a refusal of a request that changes nothing.
  ///
  /// `what` is a fixed text, or names a rule. Restricted sockets have any number of names, so only
  /// some are counted by name.
  package func noteRefusal(_ what: String, of account: String? = nil, by requester: String) {
    audit.noteRefusal(what, of: account, by: requester)
  }

  /// Counts a failure if it is a refusal that gets no other record.
  package func note(_ failure: VaultFailure, by caller: Caller) {
    switch failure {
    case .busy: noteRefusal("busy", by: caller.requester)
    case .tooManyPrompts: noteRefusal("too many prompts", by: caller.requester)
    case .refused: noteRefusal("policy", by: caller.requester)
    case .outsideRule(let rule, _): noteRefusal("outside the \(rule)", by: caller.requester)
    case .mayNarrow: break
    case .notExportable(let account):
      noteRefusal("release of an account that is not exportable", of: account, by: caller.requester)
    case .presenceNeeded, .presenceFailed, .noDesktop, .noSuchFinger, .noSuchKey, .noSuchAccount,
      .noSuchUser, .invalidArgument, .loginRequired, .providerUnavailable, .unavailable, .offline,
      .providerRefused, .misconfigured, .vaultUnsafe, .machineKeyNeeded, .keyPINNeeded,
      .unexpected:
      break
    }
  }

  /// Records the result of a check, in the running transaction.
  ///
  /// A wrong finger or password always gets a record, because each needs a person or a wait. A
  /// program can cause all other results without limit, by starting checks and disconnecting. Some
  /// of these get a record, and the rest are only counted.
  func record(_ entry: AuditEntry, of failure: PresenceFailure) throws(VaultFailure) {
    guard failure.outcome == .noMatch || audit.takeCheckRecord(at: clock.boot) else {
      return noteRefusal("check \(failure.outcome.rawValue)", by: entry.requester ?? "")
    }
    try record(entry)
  }

  /// Records what was only counted; called each minute and at the end.
  ///
  /// The last call ignores the limit of the sums' records.
  package func flushCounts(isLast: Bool = false) throws(VaultFailure) {
    try flushRefusals()
    let now = clock.boot
    let openings = audit.openings.takeSum(at: now, isLast)
    try record(openings, .release, "as the access token, ", " times without a check") {
      audit.openings.giveBack($0)
    }
    let reasons = statedReasons.withLock { $0.takeSum(at: now, isLast) }
    try record(reasons, .accessToken, "", " times, with a reason") { reasons in
      statedReasons.withLock { $0.giveBack(reasons) }
    }
  }

  /// Records the sum of the counted uses of one kind; if that fails, `giveBack` counts them again.
  private func record(
    _ counts: [[UInt8]: Int],
    _ event: AuditEvent,
    _ before: String,
    _ after: String,
    orGiveBack giveBack: ([[UInt8]: Int]) -> Void
  ) throws(VaultFailure) {
    guard !counts.isEmpty else { return }
    do throws(VaultFailure) {
      var entry = AuditEntry(event: event, outcome: .done)
      if counts.count == 1, let account = counts.keys.first,
        let row = try accountIfAny(withIdentifier: account)
      {
        entry.account = (row.id, row.name)
      }
      let accounts = counts.count == 1 ? "" : ", of \(counts.count) accounts"
      entry.detail = before + "\(counts.values.reduce(0, +))" + after + accounts
      try change { try record(entry) }
    } catch {
      giveBack(counts)
      throw error
    }
  }

  private func flushRefusals() throws(VaultFailure) {
    guard !audit.refusals.isEmpty else { return }
    let now = clock.boot
    let lines = audit.refusals.lines(at: now)
    try change {
      for (key, count) in lines.named {
        var entry = AuditEntry(event: .refusal, outcome: .refused)
        entry.requester = key.requester
        // An account that was removed in between cannot be named in the record.
        if let name = key.account,
          let row = try self.accounts().first(where: { $0.name == name })
        {
          entry.account = (row.id, row.name)
        }
        entry.detail = "\(count) × \(key.what)"
        try record(entry)
      }
      if !lines.others.isEmpty {
        var entry = AuditEntry(event: .refusal, outcome: .refused)
        let counts = lines.others.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
        entry.detail = counts.joined(separator: ", ") + ", by others"
        try record(entry)
      }
    }
    audit.resetRefusals(written: lines.named.count, at: now)
  }
}
