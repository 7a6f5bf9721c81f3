internal import System
internal import VaultClient
internal import VaultInterface

/// Reads the last records of an account in the audit log, and follows them on a thread of its own.
enum UsesFeed {
  /// How many records are told.
  private static let most = 5
  /// How far back they are looked for, in seconds.
  private static let longestPast: Int64 = 30 * 86_400

  /// The newest records of an account, newest first, each time there are others.
  @MainActor
  static func uses(
    of account: String,
    at location: VaultLocation
  ) -> AsyncStream<[VaultAuditRecord]> {
    .ofThread(
      keeping: .bufferingNewest(1),
      // The page shows the account without them.
      orElse: { _ in [] },
      running: { interrupt, uses in
        var reading = Reading(account: account, uses: uses)
        reading.run(at: location, until: interrupt)
      }
    )
  }

  private struct Reading {
    let account: String
    let uses: AsyncStream<[VaultAuditRecord]>.Continuation
    /// The last records, oldest first.
    private var last: [VaultAuditRecord] = []
    private var isRead = false

    init(account: String, uses: AsyncStream<[VaultAuditRecord]>.Continuation) {
      (self.account, self.uses) = (account, uses)
    }

    mutating func run(at location: VaultLocation, until interrupt: Int32) {
      var pause = RetryPause()
      while true {
        do throws(VaultClientError) {
          let connection = try location.connect(interrupt: interrupt)
          if !isRead { try read(connection) }
          pause.reset()
          // The next engine continues after the last record that was read.
          let call = AuditCall(account: account, since: last.last?.time ?? start, follow: true)
          try connection.stream(call, within: .max) { reply in
            if take(reply.record) { uses.yield(last.reversed()) }
          }
        } catch .interrupted {
          return
        } catch {
          // What is wrong shows the feed of the whole vault.
        }
        guard pause.wait(interrupt: interrupt) else { return }
      }
    }

    private var start: Int { Int(WallTime.now.seconds - longestPast) }

    /// Reads what there is, and tells only the end of it.
    private mutating func read(_ connection: Connection) throws(VaultClientError) {
      last = []
      try connection.stream(AuditCall(account: account, since: start)) { _ = take($0.record) }
      isRead = true
      uses.yield(last.reversed())
    }

    /// Takes a record, and tells whether it is a new one.
    private mutating func take(_ record: VaultAuditRecord?) -> Bool {
      guard let record, record.number > last.last?.number ?? 0 else { return false }
      if last.count == most { last.removeFirst() }
      last.append(record)
      return true
    }
  }
}
