internal import System
internal import VaultClient
internal import VaultInterface

/// What the app learns of the audit log while its page is open.
enum ActivityNews: Sendable {
  /// The vault is there.
  case reached
  /// Records were added, with new names of accounts.
  case added(Int, accounts: [String])
  /// The records of the last day are read.
  case isCurrent
  /// The older ones are read, too.
  case isRead
  /// The log cannot be read now, for this reason.
  case unreached(VaultClientError)
}

/// Reads the audit log on a thread of its own, in parts, and follows it.
enum ActivityFeed {
  /// The records of a part.
  private static let partCount = 500
  /// How far back the records go that are read first, in seconds.
  private static let firstSpan: Int64 = 86_400

  /// Puts all records into `records`, and then each new one, until the stream is no longer read.
  @MainActor
  static func news(
    from location: VaultLocation,
    into records: ActivityRecords
  ) -> AsyncStream<ActivityNews> {
    .ofThread(
      orElse: { .unreached(.system($0)) },
      running: { interrupt, news in
        var reading = Reading(records: records, news: news)
        reading.run(at: location, until: interrupt)
        news.finish()
        // The memory of so many records is given back here, where nothing waits for it.
        records.drop()
      }
    )
  }

  private struct Reading {
    let records: ActivityRecords
    let news: AsyncStream<ActivityNews>.Continuation
    private var part: [VaultAuditRecord] = []
    /// The number of the first record that was read first.
    private var firstNumber = Int.max
    private var newer = Place()
    private var older = Place()
    private var isCurrent = false
    private var isRead = false

    /// The last record that was read.
    private struct Place {
      var number = 0
      var time: Int?
    }

    init(records: ActivityRecords, news: AsyncStream<ActivityNews>.Continuation) {
      (self.records, self.news) = (records, news)
    }

    mutating func run(at location: VaultLocation, until interrupt: Int32) {
      var pause = RetryPause()
      while true {
        do throws(VaultClientError) {
          let connection = try location.connect(interrupt: interrupt)
          news.yield(.reached)
          try read(connection)
          pause.reset()
          // The next engine continues after the last record that was read.
          let call = AuditCall(since: newer.time, follow: true)
          try connection.stream(call, within: .max) { reply in
            take(reply.record)
            addPart()
          }
        } catch .interrupted {
          return
        } catch {
          news.yield(.unreached(error))
        }
        guard pause.wait(interrupt: interrupt) else { return }
      }
    }

    /// Reads the newest records, and then the others: the engine sends the oldest first.
    private mutating func read(_ connection: Connection) throws(VaultClientError) {
      if !isCurrent {
        let since = Int(WallTime.now.seconds - firstSpan)
        (newer, part) = (Place(), [])
        try connection.stream(AuditCall(since: since)) { takeFirst($0.record) }
        addFirst()
        isCurrent = true
        news.yield(.isCurrent)
      }
      guard !isRead else { return }
      try connection.stream(AuditCall(since: older.time)) { takeOlder($0.record) }
      addPart(isOlder: true)
      if newer.number == 0 { newer = older }
      isRead = true
      news.yield(.isRead)
    }

    /// Takes the end of the log in which no record lacks: the clock may have been set.
    private mutating func takeFirst(_ record: VaultAuditRecord?) {
      guard let record, record.number > newer.number else { return }
      if part.isEmpty || record.number != newer.number + 1 {
        part = []
        firstNumber = record.number
      }
      newer = Place(number: record.number, time: record.time)
      part.append(record)
    }

    private mutating func addFirst() {
      let first = part
      for start in stride(from: 0, to: first.count, by: partCount) {
        part = Array(first[start..<min(start + partCount, first.count)])
        addPart()
      }
    }

    private mutating func take(_ record: VaultAuditRecord?) {
      guard let record, record.number > newer.number else { return }
      newer = Place(number: record.number, time: record.time)
      part.append(record)
      if part.count == partCount { addPart() }
    }

    private mutating func takeOlder(_ record: VaultAuditRecord?) {
      guard let record, record.number > older.number, record.number < firstNumber else { return }
      older = Place(number: record.number, time: record.time)
      part.append(record)
      if part.count == partCount { addPart(isOlder: true) }
    }

    private mutating func addPart(isOlder: Bool = false) {
      guard !part.isEmpty else { return }
      let accounts = records.append(part, isOlder: isOlder)
      news.yield(.added(part.count, accounts: accounts))
      part = []
    }
  }
}
