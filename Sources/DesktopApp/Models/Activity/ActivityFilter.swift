/// Which records of the audit log are shown.
struct ActivityFilter: Equatable, Sendable {
  /// What the record is about.
  enum Kind: UInt8, CaseIterable, Sendable {
    case tokens, signIns, checks, devices, changes

    /// The kind of an event; events of later versions are changes.
    init(of event: String) {
      self = Self.known.first { $0.events.contains(event) }?.kind ?? .changes
    }

    private static let known: [(kind: Self, events: Set<String>)] = [
      (.tokens, ["refresh", "token-rejected", "access-token", "release", "refusal"]),
      (.signIns, ["login", "registration", "login-imported", "secret-stored", "logout"]),
      (.checks, ["presence-check", "unlock", "lock"]),
      (
        .devices,
        ["enrollment", "finger-deletion", "key-enrollment", "key-removal", "fingers-changed"]
      ),
    ]
  }

  /// How it ended.
  enum Outcome: UInt8, CaseIterable, Sendable {
    case done, failed

    /// What has begun and has not failed counts as done.
    init(of outcome: String) {
      self = outcome == "failed" || outcome == "refused" ? .failed : .done
    }
  }

  /// How long ago it was.
  enum Span: Int, CaseIterable, Sendable {
    case hour = 3600
    case day = 86_400
    case week = 604_800
    case month = 2_592_000
  }

  /// The account; `nil` for all.
  var account: String?
  /// The kind; `nil` for all.
  var kind: Kind?
  /// The outcome; `nil` for all.
  var outcome: Outcome?
  /// The time; `nil` for all.
  var span: Span?

  /// Whether all records are shown.
  var isOpen: Bool { self == ActivityFilter() }
}

/// What the filters ask of a record, so that they compare no texts.
struct ActivityMarks: Sendable {
  let time: Int
  let kind: ActivityFilter.Kind
  let outcome: ActivityFilter.Outcome
  /// The number of the account; `nil` if there is none.
  let account: Int32?
}

/// A filter at a time, in the form of `ActivityMarks`.
struct ActivitySieve: Sendable {
  private let kind: ActivityFilter.Kind?
  private let outcome: ActivityFilter.Outcome?
  private let since: Int
  private let account: Int32?

  /// - Parameters:
  ///   - filter: what the person chose.
  ///   - now: the present time in seconds since 1970.
  ///   - number: the number of the filter's account.
  init(_ filter: ActivityFilter, at now: Int, account number: Int32?) {
    (kind, outcome, account) = (filter.kind, filter.outcome, number)
    since = filter.span.map { now - $0.rawValue } ?? Int.min
  }

  func passes(_ marks: ActivityMarks) -> Bool {
    guard marks.time >= since else { return false }
    if let kind, marks.kind != kind { return false }
    if let outcome, marks.outcome != outcome { return false }
    if let account, marks.account != account { return false }
    return true
  }
}
