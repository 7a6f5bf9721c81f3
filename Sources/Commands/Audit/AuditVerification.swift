internal import JSON
internal import VaultInterface

extension AuditVerbs {
  /// The time limit for a check of the whole audit log, in seconds.
  static let limit: Int64 = 300

  static let verify = Verb(
    "audit verify",
    summary: "check that no audit record was altered, removed or added",
    details: """
      With exit 6, the message names the first bad record, or says that the vault may be an old \
      copy, whose audit log lacks the later records. With --json, "last" and "head" are the number \
      and the code of the last record, which the service also writes to the journal.
      """
  ) { session throws(CommandError) in
    let reply = try session.call(within: limit) { _ in VerifyAuditCall() }
    guard reply.whole else {
      throw CommandError(
        .unsafeVault,
        "the audit log is not intact: " + problem(reply),
        hint: "another program has changed vault.db: do not trust that record and later ones",
        facts: object(reply)
      )
    }
    try session.show(object(reply), text(reply))
  }

  static func object(_ reply: VerifyAuditReply) -> JSONObject {
    [
      "whole": .boolean(reply.whole),
      "records": .integer(Int64(reply.records)),
      "first": .integer(Int64(reply.first)),
      "last": .integer(Int64(reply.last)),
      "first_time": AccountText.time(reply.firstTime),
      "last_time": AccountText.time(reply.lastTime),
      "bad": reply.bad.map { .integer(Int64($0)) } ?? .null,
      "bad_time": AccountText.time(reply.badTime),
      "problem": AccountText.optional(reply.problem),
      "head": AccountText.optional(reply.head),
    ]
  }

  static func text(_ reply: VerifyAuditReply) -> String {
    guard reply.records > 0, let first = reply.firstTime, let last = reply.lastTime else {
      return "The audit log is intact: no record yet."
    }
    let count = reply.records == 1 ? "1 record" : "\(reply.records) records"
    return "The audit log is intact: \(count), from \(Timestamps.local(Int64(first)))"
      + " to \(Timestamps.local(Int64(last)))."
  }

  /// The bad record with its time, and the problem with it.
  static func problem(_ reply: VerifyAuditReply) -> String {
    let number = reply.bad ?? 0
    let time = reply.badTime.map { " (\(Timestamps.local(Int64($0))))" } ?? ""
    let record = "record \(number)\(time)"
    switch reply.problem {
    case "altered": return "\(record) was altered"
    case "dropped": return "record \(number) was removed"
    case "reordered": return "\(record) was reordered: another record stands in its place"
    case "truncated": return "it was truncated: record \(number) and all later ones are missing"
    case "duplicated": return "\(record) is a duplicate"
    case "added": return "\(record) was added by another program"
    case "head":
      return "its end does not match its head from record \(number) on"
    case "checkpoint": return "the checkpoint before \(record) is not the one that was written"
    default: return "\(record) has an error that this version cannot name"
    }
  }
}
