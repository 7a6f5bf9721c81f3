internal import JSON
internal import PlainText
internal import System
internal import VaultClient
internal import VaultInterface

enum AuditVerbs {
  static let all = [audit, verify]

  static let audit = Verb(
    "audit",
    [.account],
    options: [
      Verb.Option(
        "--since",
        "TIME",
        "2h for the last two hours, \"2025-11-21 10:30\", or 2025-11-21T09:30:00Z"
      ),
      Verb.Option("--follow", "also show new records, until interrupted"),
    ],
    summary: "show what happened and who asked, oldest first",
    details: """
      With --follow and --json, each record is an object on a separate line.
      """
  ) { session throws(CommandError) in
    let account = try session.account()
    let since = try session.arguments.value("--since").map(time).map { Int(clamping: $0) }
    if session.arguments.has("--follow") {
      return try follow(account, since: since, session)
    }
    var records: [JSONValue] = []
    var failure: CommandError?
    try session.stream(within: Session.localLimit) { _ in
      AuditCall(account: account, since: since)
    } each: { reply throws(VaultClientError) in
      guard let record = reply.record, failure == nil else { return }
      if session.output.json {
        records.append(.object(object(record)))
      } else {
        do throws(CommandError) {
          try session.output.data(line(record, columns: session.output.columns))
        } catch {
          failure = error
        }
      }
    }
    if let failure { throw failure }
    if session.output.json { try session.output.data(["records": .array(records)]) }
  }

  /// Shows records until it is interrupted, or standard output accepts no more.
  ///
  /// The next engine continues after the last record that was shown. A store that was put back, or
  /// made again, has lower numbers: its newer records are shown too.
  private static func follow(
    _ account: String?,
    since: Int?,
    _ session: Session
  ) throws(CommandError) {
    var last = 0
    var latest = Int.min
    try session.stream(within: .max, again: .always) { _ in
      AuditCall(account: account, since: since, follow: true)
    } each: { reply throws(VaultClientError) in
      guard let record = reply.record, record.number > last || record.time > latest else { return }
      last = record.number
      latest = max(latest, record.time)
      do throws(CommandError) {
        // What a program has stated stays as it is.
        try session.give(object(record), line(record, columns: session.output.columns))
      } catch {
        session.failure = error
        throw .interrupted
      }
    }
  }

  /// Reads a duration before now, or a time.
  static func time(_ text: String) throws(CommandError) -> Int64 {
    if let seconds = Timestamps.parse(text) ?? Timestamps.parseLocal(text) { return seconds }
    if let back = Durations.parse(text) {
      return WallTime.now.seconds.subtractingReportingOverflow(back).partialValue
    }
    throw .usage(
      "--since must be a duration with its unit or a time, not \"\(text)\"",
      hint: "such as 2h, \"2025-11-21 10:30\" or 2025-11-21T09:30:00Z"
    )
  }

  static func object(_ record: VaultAuditRecord) -> JSONObject {
    [
      "number": .integer(Int64(record.number)),
      "time": AccountText.time(record.time),
      "event": .string(record.event),
      "outcome": .string(record.outcome),
      "account": AccountText.optional(record.account),
      "method": AccountText.optional(record.method),
      "requester": AccountText.optional(record.requester),
      "detail": AccountText.optional(record.detail),
    ]
  }

  /// One record in one line, in fixed order, `-` where there is nothing.
  ///
  /// On a narrow terminal, the requester and the details are on a second line.
  static func line(_ record: VaultAuditRecord, columns: Int? = nil) -> String {
    let fields = [
      Timestamps.local(Int64(record.time)), record.event, record.outcome, record.account ?? "-",
      record.method ?? "-", record.requester ?? "-", record.detail ?? "",
    ]
    let widths = [19, 16, 8, 12, 11, 0, 0]
    let cells = zip(fields, widths).map { field, width in
      let plain = PlainText.line(field)
      return plain + String(repeating: " ", count: max(0, width - PlainText.width(plain)))
    }
    let line = cells.filter { !$0.isEmpty }.joined(separator: "  ")
    guard let columns, PlainText.width(line) > columns else { return line }
    let rest = cells[5...].filter { !$0.isEmpty }.joined(separator: "  ")
    return cells[..<5].joined(separator: "  ") + "\n" + String(repeating: " ", count: 21) + rest
  }
}
