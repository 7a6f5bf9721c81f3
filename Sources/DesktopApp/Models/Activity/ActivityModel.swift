internal import GTK
internal import Observation
internal import System
internal import VaultClient
internal import VaultInterface

/// The audit log on the screen, newest record first.
@Observable
@MainActor
final class ActivityModel {
  /// How long a check of the whole audit log may take, in seconds.
  nonisolated private static let checkLimit: Int64 = 300

  /// How many records were read.
  private(set) var count = 0
  /// How many records are shown.
  private(set) var shownCount = 0
  /// Whether older records are being read.
  private(set) var isReading = false
  /// Whether the newest records are there.
  private(set) var isCurrent = false
  /// Whether a filter is at work.
  private(set) var isFiltering = false
  /// What the check of the audit log has found; `nil` before its end.
  private(set) var verdict: VerifyAuditReply?
  /// Whether the check runs.
  private(set) var isChecking = false
  /// Whether the person has cancelled the last check.
  private(set) var isCheckCancelled = false
  /// Why the audit log could not be read or checked.
  private(set) var trouble: Trouble?
  /// The names of the accounts in the records.
  private(set) var accounts: [String] = []
  /// Which records are shown.
  private(set) var filter = ActivityFilter()

  /// Learns that rows have gone and come at a position.
  @ObservationIgnored
  var onChange: ((_ position: Int, _ removed: Int, _ added: Int) -> Void)?

  @ObservationIgnored
  private let link: VaultLink?
  @ObservationIgnored
  private var records = ActivityRecords()
  @ObservationIgnored
  private var following: Task<Void, Never>?
  @ObservationIgnored
  private var stop: SharedWake?
  /// The shown records, oldest first, and how many newer parts they are from.
  @ObservationIgnored
  private var locations: [ActivityRecords.Location] = []
  @ObservationIgnored
  private var seenParts = 0
  /// The filter by which they were found; `nil` if none is shown yet.
  @ObservationIgnored
  private var shownFilter: ActivityFilter?
  @ObservationIgnored
  private var sieve = ActivitySieve(ActivityFilter(), at: 0, account: nil)

  init(_ link: VaultLink?) {
    self.link = link
  }

  /// The record in a row; `nil` if the row is about to go.
  func record(at position: Int) -> VaultAuditRecord? {
    guard position < locations.count else { return nil }
    return records.record(at: locations[locations.count - 1 - position])
  }

  // MARK: Reading

  /// Begins to read and to follow the audit log.
  func open() {
    close()
    guard let link else { return }
    isReading = true
    let news = ActivityFeed.news(from: link.location, into: records)
    following = Task { [weak self] in
      for await item in news { self?.take(item) }
    }
  }

  /// Ends that, and forgets the records.
  func close() {
    following?.cancel()
    following = nil
    stop?.event.signal()
    (isChecking, stop) = (false, nil)
    let shown = locations.count
    (locations, seenParts, accounts, count) = ([], 0, [], 0)
    (filter, verdict, trouble) = (ActivityFilter(), nil, nil)
    (records, isReading, isFiltering) = (ActivityRecords(), false, false)
    (isCurrent, shownFilter, isCheckCancelled) = (false, nil, false)
    sieve = ActivitySieve(filter, at: 0, account: nil)
    changed(at: 0, removed: shown, added: 0)
  }

  private func take(_ news: ActivityNews) {
    guard following?.isCancelled == false else { return }
    switch news {
    case .reached:
      trouble = nil
      if verdict == nil, !isCheckCancelled { Task { await check() } }
    case .added(let number, let new):
      count += number
      if !new.isEmpty { accounts = (accounts + new).sorted() }
      if isCurrent, !isFiltering { addNewParts() }
    case .isCurrent:
      isCurrent = true
      Task { await sift() }
    case .isRead:
      isReading = false
      Task { await sift() }
    case .unreached(let error): trouble = Trouble(error)
    }
  }

  // MARK: Filters

  /// Shows the records of another filter.
  func choose(_ filter: ActivityFilter) async {
    guard filter != self.filter else { return }
    self.filter = filter
    if isCurrent { await sift() }
  }

  /// Looks through all records, on a thread of its own.
  private func sift() async {
    let records = self.records
    // The one at work takes up a filter that was chosen in the meantime, and records that came.
    guard !isFiltering else { return }
    isFiltering = true
    var found: ActivityRecords.Found?
    var done: (filter: ActivityFilter, withOlder: Bool)?
    while done?.filter != filter || done?.withOlder == isReading {
      let now = (filter: filter, withOlder: !isReading)
      done = now
      let number = filter.account.map { records.number(of: $0) ?? -1 }
      sieve = ActivitySieve(filter, at: Int(WallTime.now.seconds), account: number)
      found = await Self.found(by: sieve, in: records, withOlder: now.withOlder)
      // The page was left.
      guard records === self.records else { return }
    }
    isFiltering = false
    if let found { show(found) }
  }

  private func show(_ found: ActivityRecords.Found) {
    let former = locations.count
    if shownFilter == filter {
      // What is shown keeps its place.
      let hasOlder = locations.first?.isOlder == true
      guard !hasOlder, !found.older.isEmpty else { return addNewParts() }
      locations = found.older + locations
      changed(at: former, removed: 0, added: found.older.count)
    } else {
      shownFilter = filter
      (locations, seenParts) = (found.older + found.newer, found.parts)
      changed(at: 0, removed: former, added: locations.count)
    }
    addNewParts()
  }

  nonisolated private static func found(
    by sieve: ActivitySieve,
    in records: ActivityRecords,
    withOlder: Bool
  ) async -> ActivityRecords.Found? {
    try? await onThread(orElse: VaultClientError.system) { () throws(VaultClientError) in
      records.found(by: sieve, from: 0, withOlder: withOlder)
    }
  }

  /// Shows what came since the last look.
  private func addNewParts() {
    let found = records.found(by: sieve, from: seenParts, withOlder: false)
    seenParts = found.parts
    locations += found.newer
    changed(at: 0, removed: 0, added: found.newer.count)
  }

  private func changed(at position: Int, removed: Int, added: Int) {
    if shownCount != locations.count { shownCount = locations.count }
    if removed > 0 || added > 0 { onChange?(position, removed, added) }
  }

  // MARK: Checking

  /// Checks whether the audit log is intact.
  func check() async {
    guard let link, !isChecking else { return }
    let before = records
    (isChecking, isCheckCancelled) = (true, false)
    var outcome: Result<VerifyAuditReply, VaultClientError>
    do throws(VaultClientError) {
      let stop = try SharedWake.made()
      self.stop = stop
      let reply = try await link.call(interrupt: stop) { connection, _ throws(VaultClientError) in
        try connection.call(VerifyAuditCall(), within: Self.checkLimit)
      }
      outcome = .success(reply)
    } catch {
      outcome = .failure(error)
    }
    // The page was left.
    guard records === before else { return }
    (isChecking, stop) = (false, nil)
    switch outcome {
    case .success(let reply): verdict = reply
    case .failure(.interrupted): isCheckCancelled = true
    case .failure(let error): trouble = Trouble(error)
    }
  }

  /// Ends the check that runs.
  func cancelCheck() { stop?.event.signal() }
}
