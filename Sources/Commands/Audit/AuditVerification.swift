internal import JSON
internal import VaultInterface

extension AuditVerbs {
  /// How long a check of the whole audit log may take, in seconds.
  static let limit: Int64 = 300

  static let verify = Verb(
    "audit verify",
    summary: "check that no record of the trail was altered, dropped or added",
    details: """
      Exit 6 names the first record that is not what was written, or says that the store may be \
      an old copy, whose trail lacks what came after it.
      """
  ) { session throws(CommandError) in
    let reply = try session.call(within: limit) { _ in VerifyAuditCall() }
    guard reply.whole else {
      throw CommandError(
        .unsafeVault,
        "the trail is not whole: " + problem(reply),
        hint:
          "somebody has changed vault.db: believe nothing from there on; nothing was changed now",
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
    ]
  }

  static func text(_ reply: VerifyAuditReply) -> String {
    guard reply.records > 0, let first = reply.firstTime, let last = reply.lastTime else {
      return "the trail is whole: no record yet"
    }
    let count = reply.records == 1 ? "1 record" : "\(reply.records) records"
    return "the trail is whole: \(count), from \(Timestamps.local(Int64(first)))"
      + " to \(Timestamps.local(Int64(last)))"
  }

  /// Which record is bad, of when, and what is wrong with it.
  static func problem(_ reply: VerifyAuditReply) -> String {
    let number = reply.bad ?? 0
    let time = reply.badTime.map { " (\(Timestamps.local(Int64($0))))" } ?? ""
    let record = "record \(number)\(time)"
    switch reply.problem {
    case "altered": return "\(record) was altered"
    case "dropped": return "record \(number) was dropped"
    case "reordered": return "\(record) was reordered: another stands in its place"
    case "truncated": return "it was truncated: record \(number) and all after it were missing"
    case "duplicated": return "\(record) is a duplicated one"
    case "added": return "\(record) was added by somebody else"
    case "head":
      return "its sealed head is not the right one: what came from record \(number) on is not known"
    case "checkpoint": return "the checkpoint before \(record) is not the one that was written"
    default: return "\(record) is not what was written"
    }
  }
}
