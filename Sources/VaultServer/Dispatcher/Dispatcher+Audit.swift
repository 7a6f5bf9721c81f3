internal import TokenVault
internal import Varlink
internal import VaultInterface

// Methods for the audit log.
extension Dispatcher {
  func audit(_ call: AuditCall) async throws(VaultFailure) -> AuditReply {
    guard context.more else {
      throw .invalidArgument("audit records come one by one: call with `more`")
    }
    if call.follow == true { return try await follow(call) }
    var number: Int64 = 0
    var last: AuditFacts?
    while true {
      let page = try await vault.auditPage(
        after: number,
        since: call.since.map(Int64.init),
        account: call.account
      )
      guard let end = page.last else { break }
      for facts in page {
        if let last {
          context.reply(try .made(AuditReply(record: VaultAuditRecord(last)), continues: true))
        }
        last = facts
      }
      number = end.number
      // The rest may be more than may wait to be sent.
      guard await context.whenSent() else { break }
    }
    return AuditReply(record: last.map(VaultAuditRecord.init))
  }

  /// Streams the audit log and each new record.
  ///
  /// The client reads each page before the next one is made.
  private func follow(_ call: AuditCall) async throws(VaultFailure) -> AuditReply {
    try await vault.followAuditLog(account: call.account, since: call.since.map(Int64.init)) {
      page in
      for facts in page {
        let record = AuditReply(record: VaultAuditRecord(facts))
        guard let part = try? VarlinkReply(record, continues: true) else { return false }
        context.reply(part)
      }
      return await context.whenSent()
    }
    return AuditReply()
  }

  /// Answers whether the audit log is intact.
  ///
  /// Other calls are served during the check.
  func verifyAudit(_ call: VerifyAuditCall) async throws(VaultFailure) -> VerifyAuditReply {
    VerifyAuditReply(try await vault.verifyAuditLog())
  }
}

extension VerifyAuditReply {
  init(_ facts: AuditReport) {
    func wire(_ number: Int64?) -> Int? { number.map { Int(clamping: $0) } }
    self.init(
      whole: facts.isWhole,
      records: facts.records,
      first: Int(clamping: facts.first),
      last: Int(clamping: facts.last),
      firstTime: wire(facts.firstTime),
      lastTime: wire(facts.lastTime),
      bad: wire(facts.bad),
      badTime: wire(facts.badTime),
      problem: facts.problem,
      head: facts.head
    )
  }
}
